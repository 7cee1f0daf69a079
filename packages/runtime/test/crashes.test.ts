// At each fault point, a server crashes and another one continues. No accepted action is lost, and none is
// executed twice.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ResolvedOperation } from '@ledger-ops/adapter';
import { counterContract, createMemoryLedger, type MemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { describeDialects, type OpenTestStore } from '@ledger-ops/store/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../testing/faults.ts';
import { type FaultPoint, faultPoints } from '../src/rows/faults.ts';
import { crashDuringEvents } from './contract-event-crash.ts';
import { crashAt } from './crashing-store.ts';
import {
  type EngineHarness,
  type HarnessOptions,
  startEngine,
  stopEngines,
  type TestWallet,
  transfer,
} from './engine-harness.ts';
import { createClock, kindsOf, pooled, requestChange, startLate } from './late-harness.ts';
import { clock, emptyTransactions, fillersOf, passUntil, waitAboveReleasedNonce } from './lost-nonce.ts';

const wait = { timeout: 30_000 };
const timing = { lease: 900, tick: 100, resend: 500 };
const deploy: ResolvedOperation = {
  type: 'contract_deploy',
  source: counterContract,
  args: ['3'],
  value: 0n,
  native: { technology: 'ethereum', content: {} },
};

/**
 * Crashes a server when it reaches a fault point for the nth time, and checks that the next server continues correctly.
 */
interface Recovery {
  /** Describes how the next server behaves. */
  readonly name: string;
  readonly times: readonly number[];
  /**
   * The cases that also run on PostgreSQL. They are fewer, because there the next server waits for a lease to expire,
   * and the recovery code is the same.
   */
  readonly onPostgres: readonly number[];
  run(open: OpenTestStore, point: FaultPoint, times: number): Promise<void>;
}

const grantsOf = (store: Store) => store.read.all('SELECT action_id FROM action_grant');

async function actionsOf(store: Store): Promise<string[]> {
  return (await store.read.all<{ id: string }>('SELECT id FROM action')).map(({ id }) => id);
}

interface Sent {
  readonly target: string;
  readonly amount: bigint;
  /** Id of the accepted action; null if the server stopped before it responded. */
  readonly id: string | null;
}

/** Sends transfers concurrently. Every second one is accepted unsigned and signed later. */
async function sendAll(harness: EngineHarness, from: TestWallet, count: number): Promise<Sent[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const target = `0x${randomBytes(20).toString('hex')}`;
      const amount = BigInt(index + 1);
      const sent = harness.send(from, transfer(target, amount), { unsigned: index % 2 === 1 });
      return { target, amount, id: await sent.catch(() => null) };
    }),
  );
}

/**
 * Crashes a server while it executes transfers of a wallet, and waits until the next server has completed all stored
 * actions.
 */
async function crashDuringTransfers(
  open: OpenTestStore,
  point: FaultPoint,
  times: number,
  { ledger, properties }: Pick<HarnessOptions, 'properties'> & { ledger: MemoryLedger },
) {
  const store = await open();
  const crash = crashAt(store, point, times);
  const options = { ledger, timing, properties: properties ?? {} };
  const first = await startEngine({ ...options, store: crash.store, faults: crash.faults });
  const from = await first.wallet();
  let isOver = false;
  const over = crash.ended.then(() => {
    isOver = true;
  });
  const sent = await sendAll(first, from, 10);
  // On a busy machine, one commit may contain all transfers. Further transfers are then needed to reach the point
  // again.
  while (!isOver && sent.length < 1_000) {
    sent.push(...(await sendAll(first, from, 2)));
    await Promise.race([over, delay(50)]);
  }
  await over;
  const second = await startEngine({ ...options, store });
  const stored = await actionsOf(store);
  const ends = await second.ended(stored);
  expect(stored).toEqual(expect.arrayContaining(sent.flatMap(({ id }) => id ?? [])));
  return { store, from, sent, stored, ends };
}

/** Checks that each target received its amount once, or at most once if its action was not confirmed as accepted. */
function expectOnce(ledger: MemoryLedger, sent: readonly Sent[]): void {
  for (const { target, amount, id } of sent) {
    expect(id === null ? [0n, amount] : [amount]).toContain(ledger.balanceOf(target));
  }
}

const withNonces: Recovery = {
  name: 'completes the transfers of an account without a gap in its nonces',
  times: [1, 3],
  onPostgres: [3],
  async run(open, point, times) {
    const ledger = createMemoryLedger();
    const { store, from, sent, stored, ends } = await crashDuringTransfers(open, point, times, { ledger });
    expect(ends.map(({ status }) => status)).toEqual(stored.map(() => 'SUCCEEDED'));
    expectOnce(ledger, sent);
    expect(ledger.nonceOf(from.address)).toBe(BigInt(stored.length));
    expect(ledger.pool).toEqual([]);
    expect(await grantsOf(store)).toEqual([]);
  },
};

const withoutNonces: Recovery = {
  name: 'completes transfers without nonces, and recreates those that were invalidated',
  times: [3],
  onPostgres: [],
  async run(open, point, times) {
    const ledger = createMemoryLedger({ sequence: 'none' });
    ledger.script({ kind: 'invalidate', times: 3 });
    const options = { ledger, properties: { retries: 10 } };
    const { store, sent, stored, ends } = await crashDuringTransfers(open, point, times, options);
    expect(ends.map(({ status }) => status)).toEqual(stored.map(() => 'SUCCEEDED'));
    expectOnce(ledger, sent);
    expect(ledger.executions()).toBe(stored.length);
    expect(await grantsOf(store)).toEqual([]);
  },
};

const expiring: Recovery = {
  name: 'recreates transfers that expired because nodes dropped them',
  times: [1, 3],
  onPostgres: [3],
  async run(open, point, times) {
    const ledger = createMemoryLedger({ sequence: 'none', expiry: 4 });
    ledger.script({ kind: 'acceptButForget', times: 8 });
    const timer = setInterval(() => ledger.mine(), 20);
    try {
      const { store, sent, stored, ends } = await crashDuringTransfers(open, point, times, { ledger });
      expect(ends.map(({ status }) => status)).toEqual(stored.map(() => 'SUCCEEDED'));
      expectOnce(ledger, sent);
      expect(ledger.executions()).toBe(stored.length);
      expect(await grantsOf(store)).toEqual([]);
    } finally {
      clearInterval(timer);
    }
  },
};

/** @param times 1 for a crash at the transaction that expires, 2 for a crash at the next one */
const expiry = (...times: number[]): Recovery => ({
  name: 'executes an action exactly once if its first transaction expired',
  times,
  onPostgres: times,
  async run(open, point, nth) {
    const ledger = createMemoryLedger({ sequence: 'none', expiry: 3 });
    const store = await open();
    const crash = crashAt(store, point, nth);
    const options = { ledger, timing };
    const first = await startEngine({ ...options, store: crash.store, faults: crash.faults });
    const [from, to] = [await first.wallet(), await first.wallet(0n)];
    const forgetful = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const id = await first.send(from, transfer(to.address, 5n));
    let swallowedAt = Number.POSITIVE_INFINITY;
    const timer = setInterval(() => {
      const { height } = ledger.mine();
      if (forgetful.fired > 0) swallowedAt = Math.min(swallowedAt, height);
      if (height >= swallowedAt + 4) forgetful.clear();
    }, 20);
    try {
      await crash.ended;
      const second = await startEngine({ ...options, store });
      const [end] = await second.ended([id]);
      expect(end?.status).toBe('SUCCEEDED');
      const attempts = await store.read.all<{ tx_id: string }>(
        'SELECT tx_id FROM attempt WHERE action_id = $1 ORDER BY n',
        [id],
      );
      expect(attempts.length).toBeGreaterThan(1);
      expect(end?.locator).toBe(attempts.at(-1)?.tx_id);
      expect(ledger.executions({ to: to.address })).toBe(1);
      expect(ledger.balanceOf(to.address)).toBe(5n);
      expect(await grantsOf(store)).toEqual([]);
    } finally {
      clearInterval(timer);
    }
  },
});

const rejected: Recovery = {
  name: "fails the actions that the ledger rejects, with the ledger's error message, and executes none",
  times: [3],
  onPostgres: [],
  async run(open, point, times) {
    const ledger = createMemoryLedger({ sequence: 'none' });
    const problem = { code: 'endorsement-failed', phase: 'submit', detail: 'Nobody may write.' } as const;
    ledger.script({ kind: 'rejectForCertain', times: Number.POSITIVE_INFINITY, problem });
    const { store, stored, ends } = await crashDuringTransfers(open, point, times, { ledger });
    expect(ends.map(({ status }) => status)).toEqual(stored.map(() => 'FAILED'));
    for (const end of ends) expect(end.problem).toContain('Nobody may write.');
    expect(ledger.executions()).toBe(0);
    expect(await grantsOf(store)).toEqual([]);
  },
};

/** @param times number of the transaction at which the server crashes, from 1 to 3 */
const steps = (...times: number[]): Recovery => ({
  name: 'completes a deployment of three transactions',
  times,
  onPostgres: times.length > 1 ? [2] : [1],
  async run(open, point, nth) {
    const ledger = createMemoryLedger({ sequence: 'none', deploySteps: 3, ownIds: true });
    const store = await open();
    const crash = crashAt(store, point, nth);
    const options = { ledger, timing };
    const first = await startEngine({ ...options, store: crash.store, faults: crash.faults });
    const from = await first.wallet();
    const id = '0190a000-0000-7000-8000-000000000001';
    const accepted = first.send(from, deploy, { actionId: id }).then(
      () => true,
      () => false,
    );
    await crash.ended;
    const isAccepted = await accepted;
    const second = await startEngine({ ...options, store });
    if (!isAccepted && point === 'accept:before-commit') {
      await expect(second.status(id)).rejects.toThrow('There is no action');
      return;
    }
    const [end] = await second.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.executions({ from: from.address })).toBe(3);
    expect(await grantsOf(store)).toEqual([]);
  },
});

const rejectedOnce: Recovery = {
  name: 'either fails an action that the ledger rejected once, or executes it once',
  times: [1],
  onPostgres: [1],
  async run(open, point, times) {
    const ledger = createMemoryLedger({ sequence: 'none' });
    const store = await open();
    const crash = crashAt(store, point, times);
    const options = { ledger, timing };
    const first = await startEngine({ ...options, store: crash.store, faults: crash.faults });
    const from = await first.wallet();
    ledger.script({ kind: 'rejectForCertain' });
    const id = await first.send(from);
    await crash.ended;
    const second = await startEngine({ ...options, store });
    const [end] = await second.ended([id]);
    const executed = ledger.executions({ from: from.address });
    expect(end?.status).toBe(point === 'reject:after-commit' ? 'FAILED' : 'SUCCEEDED');
    expect(executed).toBe(point === 'reject:after-commit' ? 0 : 1);
  },
};

const unchanged: Recovery = {
  name: 'ignores a cancellation that was not stored',
  times: [1],
  onPostgres: [1],
  async run(open, point, times) {
    const store = await open();
    const crash = crashAt(store, point, times);
    const first = await startLate({ store: crash.store, faults: crash.faults });
    const id = await first.send(await first.wallet());
    await pooled(first, 1);
    await expect(requestChange(first, id, 'cancel')).rejects.toThrow();
    await crash.ended;
    expect(await store.read.all('SELECT change FROM action')).toEqual([{ change: null }]);
    expect(await kindsOf(store, id)).toEqual(['main']);
  },
};

const cancelled: Recovery = {
  name: 'completes a stored cancellation',
  times: [1],
  onPostgres: [1],
  async run(open, point, times) {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const time = createClock();
    const crash = crashAt(store, point, times);
    const first = await startLate({ store: crash.store, faults: crash.faults, ledger, clock: time });
    const from = await first.wallet();
    const id = await first.send(from, transfer(from.address, 7n));
    await pooled(first, 1);
    await requestChange(first, id, 'cancel').catch(() => undefined);
    await crash.ended;
    await startLate({ store, ledger, clock: time });
    await vi.waitFor(() => expect(ledger.pool.map(({ value }) => value)).toEqual([0n]), wait);
    expect(await kindsOf(store, id)).toEqual(['main', 'noop']);
    ledger.mine();
    const problems = () => store.read.all('SELECT problem FROM action WHERE id = $1', [id]);
    const isCancelled = { problem: expect.stringContaining('problem:cancelled') };
    await vi.waitFor(async () => expect(await problems()).toMatchObject([isCancelled]), wait);
    expect(ledger.nonceOf(from.address)).toBe(1n);
  },
};

const filled: Recovery = {
  name: 'fills a released nonce with one empty transaction',
  times: [1],
  onPostgres: [1],
  async run(open, point, times) {
    const time = clock();
    const store = await open();
    const ledger = createMemoryLedger();
    const crash = crashAt(store, point, times);
    const first = await startEngine({ store: crash.store, faults: crash.faults, ledger, now: time.now });
    const [from, to] = [await first.wallet(), await first.wallet(0n)];
    const waiting = await waitAboveReleasedNonce(first, from, to);
    const ended = { is: false };
    const watched = crash.ended.then(() => {
      ended.is = true;
    });
    await passUntil(time, () => ended.is);
    await watched;
    expect(await fillersOf(store)).toHaveLength(point === 'fill:after-commit' ? 1 : 0);
    const second = await startEngine({ store, ledger, now: time.now });
    await passUntil(time, () => emptyTransactions(ledger).length > 0);
    ledger.mine(4);
    const [end] = await second.ended([waiting]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.balanceOf(to.address)).toBe(1n);
    expect(ledger.nonceOf(from.address)).toBe(2n);
  },
};

const storedEvents: Recovery = {
  name: 'stores each contract event once',
  times: [1, 2],
  onPostgres: [2],
  run: crashDuringEvents,
};

/** The recoveries of each fault point. Without an entry for every fault point, this does not compile. */
const recoveries: Readonly<Record<FaultPoint, readonly Recovery[]>> = {
  'accept:before-commit': [withNonces, withoutNonces, expiring, steps(1)],
  'accept:after-commit': [withNonces, withoutNonces, expiring, steps(1)],
  'sign:before-commit': [withNonces, withoutNonces, expiring, expiry(1, 2), steps(1, 2, 3)],
  'sign:after-commit': [withNonces, withoutNonces, expiring, expiry(1, 2), rejected, steps(1, 2, 3)],
  'submit:before': [withNonces, withoutNonces, expiring, expiry(1, 2), rejected, steps(1, 2, 3)],
  'submit:after': [withNonces, withoutNonces, expiring, expiry(1, 2), rejected, steps(1, 2, 3)],
  'settle:before-commit': [withNonces, withoutNonces, expiring, expiry(1, 2), steps(1, 2, 3)],
  'settle:after-commit': [withNonces, withoutNonces, expiring, expiry(1, 2), steps(1, 2, 3)],
  'reject:before-commit': [rejected, rejectedOnce],
  'reject:after-commit': [rejected, rejectedOnce],
  'note:before-commit': [steps(1)],
  'note:after-commit': [steps(1)],
  'change:before-commit': [unchanged],
  'change:after-commit': [cancelled],
  'replace:before-commit': [cancelled],
  'replace:after-commit': [cancelled],
  'fill:before-commit': [filled],
  'fill:after-commit': [filled],
  'tell:before-commit': [storedEvents],
  'tell:after-commit': [storedEvents],
};

describeDialects('crashes of a server', (open, { dialect }) => {
  afterEach(stopEngines);

  describe.each(faultPoints)('at %s', (point) => {
    const cases = recoveries[point].flatMap((recovery) => {
      const times = dialect === 'postgres' ? recovery.onPostgres : recovery.times;
      // The last case covers the earlier ones, so only that one runs outside of the fault tests.
      return selectCases(times, (nth) => nth === times.at(-1) && dialect === 'sqlite').map(
        (nth) => [point, recovery.name, nth, recovery] as const,
      );
    });
    test.each(cases)(
      'after a crash at %s, the next server %s (case %i)',
      async (_point, _name, nth, recovery) => {
        await recovery.run(open, point, nth);
      },
    );
  });
});
