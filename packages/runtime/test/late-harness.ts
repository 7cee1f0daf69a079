import { setTimeout as delay } from 'node:timers/promises';
import type { AdapterDefinition, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { expect, vi } from 'vitest';
import { hasEnded } from '../src/rows/actions/change-requests.ts';
import type { SealedGrant } from '../src/rows/attempts/signing-grant.ts';
import { defaultTiming } from '../src/timing.ts';
import { type EngineHarness, type HarnessOptions, startEngine } from './engine-harness.ts';

/** Real time that the work behind one step of a test's clock gets, at most, in milliseconds. */
const stepTime = 500;
const patience = 60_000;

/**
 * Waits until it is so, and lets `step` happen each time that what it set off had its time.
 * @throws Error when it is not so within a minute
 */
async function until(isSo: () => Promise<boolean>, step: () => void): Promise<void> {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    step();
    const next = performance.now() + stepTime;
    while (performance.now() < next) {
      if (await isSo()) return;
      await delay(10);
    }
  }
  throw new Error('It did not come to be so within a minute.');
}

/** A clock that stands still until it is moved. */
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

/** A server on a ledger that makes blocks by hand alone, with the patience of the product. */
export async function startLate(options: HarnessOptions & { clock?: Clock }) {
  const ledger = options.ledger ?? createMemoryLedger({ autoMine: false });
  const clock = options.clock ?? createClock();
  const harness = await startEngine({ ...options, ledger, now: clock.now });
  return { ...harness, clock };
}
export type Late = Awaited<ReturnType<typeof startLate>>;

/** One patience of the ledger passes. */
export function pass({ clock, ledger }: { clock: Clock; ledger: MemoryLedger }): void {
  clock.move(defaultTiming.patience);
  ledger.mine(defaultTiming.patienceBlocks);
}

/** Patiences pass, as many as may be, until it is so. */
export async function passUntil(late: Late, isSo: () => Promise<boolean>): Promise<void> {
  await until(isSo, () => pass(late));
}

export async function endOf(late: Late, id: string) {
  await passUntil(late, async () => (await late.status(id)).status !== 'PENDING');
  return late.status(id);
}

/** Its end when blocks come and no time passes: in time, what a busy machine has not read yet would be replaced again. */
export async function minedEndOf(late: Late, id: string) {
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

/** An adapter whose sessions do something else. */
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

/** A node that says that it knows some transactions, and has nothing of them. */
export function lyingNode(ledger: MemoryLedger) {
  const swallowed = new Set<string>();
  const adapter = changed(ledger, (session) => ({
    async submit(all) {
      const passed = all.filter(({ txId }) => !swallowed.has(txId));
      const answers = new Map((await session.submit(passed)).map((answer) => [answer.txId, answer]));
      return all.map(({ txId }) => answers.get(txId) ?? { txId, status: 'known' });
    },
  }));
  return { adapter, swallowed };
}

/** Asks for it as the runtime does for who may use the wallet. */
export async function askChange(
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
    { actionId: id, change, by, at: Date.now(), isSigned, grant },
    async () => {},
  );
  return answer;
}
