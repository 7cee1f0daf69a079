import { setTimeout as delay } from 'node:timers/promises';
import type { AdapterDefinition, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { expect, vi } from 'vitest';
import { hasEnded } from '../src/rows/actions/change-requests.ts';
import type { SealedGrant } from '../src/rows/attempts/signing-grant.ts';
import { defaultTiming } from '../src/timing.ts';
import { type EngineHarness, type HarnessOptions, startEngine } from './engine-harness.ts';

/** Maximum real time in milliseconds between two steps of a test's clock. */
const stepTime = 500;
const patience = 60_000;

/**
 * Calls `step` repeatedly until the condition is met. After each call, the engine has time to react.
 * @throws Error if the condition is not met within a minute
 */
async function until(condition: () => Promise<boolean>, step: () => void): Promise<void> {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    step();
    const next = performance.now() + stepTime;
    while (performance.now() < next) {
      if (await condition()) return;
      await delay(10);
    }
  }
  throw new Error('The condition was not met within a minute.');
}

/** Creates a clock that advances only when `move` is called. */
export function createClock() {
  const start = Date.now();
  let moved = 0;
  return {
    now: () => start + moved,
    move(milliseconds: number) {
      moved += milliseconds;
    },
  };
}
export type Clock = ReturnType<typeof createClock>;

/** Starts an engine with the default replacement interval, on a ledger that mines only on request. */
export async function startLate(options: HarnessOptions & { clock?: Clock }) {
  const ledger = options.ledger ?? createMemoryLedger({ autoMine: false });
  const clock = options.clock ?? createClock();
  const harness = await startEngine({ ...options, ledger, now: clock.now });
  return { ...harness, clock };
}
export type Late = Awaited<ReturnType<typeof startLate>>;

/** Advances the clock and the chain by one replacement interval. */
export function passPatience({ clock, ledger }: { clock: Clock; ledger: MemoryLedger }): void {
  clock.move(defaultTiming.patience);
  ledger.mine(defaultTiming.patienceBlocks);
}

/** Lets replacement intervals pass until the condition is met. */
export async function passUntil(late: Late, condition: () => Promise<boolean>): Promise<void> {
  await until(condition, () => passPatience(late));
}

export async function passUntilFinal(late: Late, id: string) {
  await passUntil(late, async () => (await late.status(id)).status !== 'PENDING');
  return late.status(id);
}

/**
 * Mines blocks until the action is final. The clock stands still: otherwise, on a slow machine, the engine would
 * replace the transaction again.
 */
export async function mineUntilFinal(late: Late, id: string) {
  const isEnded = async () => (await late.status(id)).status !== 'PENDING';
  await until(isEnded, () => late.ledger.mine());
  return late.status(id);
}

type AttemptRow = {
  kind: string;
  n: number;
  sealed: number;
  settled: number;
  reason: string | null;
};

export async function attemptsOf(store: Store, id: string): Promise<AttemptRow[]> {
  return store.read.all<AttemptRow>(
    `SELECT kind, n, reason, CASE WHEN sealed IS NULL THEN 0 ELSE 1 END AS sealed,
      CASE WHEN settled_at IS NULL THEN 0 ELSE 1 END AS settled FROM attempt WHERE action_id = $1 ORDER BY n`,
    [id],
  );
}

export const kindsOf = async (store: Store, id: string) =>
  (await attemptsOf(store, id)).map(({ kind }) => kind);

export async function pooled({ ledger }: EngineHarness, count: number): Promise<void> {
  await vi.waitFor(() => expect(ledger.pool.length).toBe(count), { timeout: 30_000 });
}

/** Returns a memory adapter. `change` overrides methods of its sessions. */
export function changed(ledger: MemoryLedger, change: (session: LedgerSession) => Partial<LedgerSession>) {
  const inner = memoryAdapter(ledger, { technology: 'ethereum' });
  const definition: AdapterDefinition = {
    ...inner,
    async open(...given) {
      const session = await inner.open(...given);
      return { ...session, ...change(session) };
    },
  };
  return definition;
}

/** Returns a node that reports the transactions in `dropped` as known, although it does not have them. */
export function droppingNode(ledger: MemoryLedger) {
  const dropped = new Set<string>();
  const adapter = changed(ledger, (session) => ({
    async submit(all) {
      const passed = all.filter(({ txId }) => !dropped.has(txId));
      const answers = new Map((await session.submit(passed)).map((answer) => [answer.txId, answer]));
      return all.map(({ txId }) => answers.get(txId) ?? { txId, status: 'known' });
    },
  }));
  return { adapter, dropped };
}

/** Requests a change of an action, as the runtime does for a caller that may use the wallet. */
export async function requestChange(
  { engine, status }: EngineHarness,
  id: string,
  kind: 'cancel' | 'hurry',
  cap?: bigint,
  grant: SealedGrant | null = null,
) {
  const { stage, status: state } = await status(id);
  if (state !== 'PENDING') throw hasEnded(id, state);
  const change = { kind, cap: cap ?? null };
  const by = { serviceId: 'someone', appId: 'app' };
  const isSigned = stage === 'signed';
  const { status: answer } = await engine.change(
    { actionId: id, change, by, at: Date.now(), isSigned, isCompared: true, compared: new Set(), grant },
    async () => {},
  );
  return answer;
}
