// A server that ends at each point where a test may end it, and another one that goes on: nothing that was accepted
// is lost, and nothing happens twice.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ResolvedOperation } from '@ledger-ops/adapter';
import { counterContract, createMemoryLedger, type MemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { describeStores, type OpenTestStore } from '@ledger-ops/store/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { crashes } from '../../../testing/faults.ts';
import { type FaultPoint, faultPoints } from '../src/rows/faults.ts';
import { endAmidEvents } from './contract-event-crash.ts';
import { crashAt } from './crashing-store.ts';
import {
  type EngineHarness,
  type HarnessOptions,
  startEngine,
  stopEngines,
  type TestWallet,
  transfer,
} from './engine-harness.ts';
import { askChange, createClock, kindsOf, pooled, startLate } from './late-harness.ts';
import { clock, emptyOnes, fillersOf, passUntil, waitAbove } from './lost-nonce.ts';

const wait = { timeout: 30_000 };
const timing = { lease: 900, tick: 100, resend: 500 };
const deploy: ResolvedOperation = {
  type: 'contract_deploy',
  source: counterContract,
  args: ['3'],
  value: 0n,
  native: { technology: 'ethereum', content: {} },
};

/** Ends a server at a point, when it comes there for the nth time, and sees that the next one goes on from there. */
interface Recovery {
  readonly name: string;
  readonly times: readonly number[];
  /** The same on PostgreSQL, where the next server waits for the end of a lease: what follows is one code for both. */
  readonly onPostgres: readonly number[];
  /** Whether that is held by others in every run, and by this in `npm run test:faults` alone. */
  readonly rareOnPostgres?: true;
  run(open: OpenTestStore, point: FaultPoint, times: number): Promise<void>;
}

const grantsOf = (store: Store) => store.read.all('SELECT action_id FROM action_grant');

async function actionsOf(store: Store): Promise<string[]> {
  return (await store.read.all<{ id: string }>('SELECT id FROM action')).map(({ id }) => id);
}

interface Sent {
  readonly target: string;
  readonly amount: bigint;
  /** Null where its server ended before it answered. */
  readonly id: string | null;
}

/** Sends transfers at once, every other one such that it is signed at its turn and not when it is accepted. */
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

/** Ends a server amid transfers of a wallet, and waits until the next one has ended all that were stored. */
async function endAmidTransfers(
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
  // A shared step, as a commit, is passed once for all of them, on a busy machine of very many: more traffic passes it again.
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

/** Each got its amount once, or, where nobody was told that it was accepted, not at all. */
function expectOnce(ledger: MemoryLedger, sent: readonly Sent[]): void {
  for (const { target, amount, id } of sent) {
    expect(id === null ? [0n, amount] : [amount]).toContain(ledger.balanceOf(target));
  }
}

const sequenced: Recovery = {
  name: 'amid transfers of an account, without a gap in its nonces',
  times: [1, 3],
  onPostgres: [3],
  async run(open, point, times) {
    const ledger = createMemoryLedger();
    const { store, from, sent, stored, ends } = await endAmidTransfers(open, point, times, { ledger });
    expect(ends.map(({ status }) => status)).toEqual(stored.map(() => 'SUCCEEDED'));
    expectOnce(ledger, sent);
    expect(ledger.nonceOf(from.address)).toBe(BigInt(stored.length));
    expect(ledger.pool).toEqual([]);
    expect(await grantsOf(store)).toEqual([]);
  },
};

const unsequenced: Recovery = {
  name: 'amid transfers without sequences, of which some are found invalid and made again',
  times: [3],
  onPostgres: [],
  async run(open, point, times) {
    const ledger = createMemoryLedger({ sequence: 'none' });
    ledger.script({ kind: 'invalidate', times: 3 });
    const options = { ledger, properties: { retries: 10 } };
    const { store, sent, stored, ends } = await endAmidTransfers(open, point, times, options);
    expect(ends.map(({ status }) => status)).toEqual(stored.map(() => 'SUCCEEDED'));
    expectOnce(ledger, sent);
    expect(ledger.executions()).toBe(stored.length);
    expect(await grantsOf(store)).toEqual([]);
  },
};

const expiring: Recovery = {
  name: 'amid transfers that expire, since nodes swallow them, and are made anew',
  times: [1, 3],
  onPostgres: [3],
  rareOnPostgres: true,
  async run(open, point, times) {
    const ledger = createMemoryLedger({ sequence: 'none', expiry: 4 });
    ledger.script({ kind: 'acceptButForget', times: 8 });
    const timer = setInterval(() => ledger.mine(), 20);
    try {
      const { store, sent, stored, ends } = await endAmidTransfers(open, point, times, { ledger });
      expect(ends.map(({ status }) => status)).toEqual(stored.map(() => 'SUCCEEDED'));
      expectOnce(ledger, sent);
      expect(ledger.executions()).toBe(stored.length);
      expect(await grantsOf(store)).toEqual([]);
    } finally {
      clearInterval(timer);
    }
  },
};

/** @param times how often the point is passed before: once for the transaction that expires, once for the next one */
const expiry = (...times: number[]): Recovery => ({
  name: 'of one whose transaction expires, and that is executed by the next, once',
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

const refused: Recovery = {
  name: 'while the ledger refuses for certain: all fail with its words, and nothing happens',
  times: [3],
  onPostgres: [],
  async run(open, point, times) {
    const ledger = createMemoryLedger({ sequence: 'none' });
    const problem = { code: 'endorsement-failed', phase: 'submit', detail: 'Nobody may write.' } as const;
    ledger.script({ kind: 'rejectForCertain', times: Number.POSITIVE_INFINITY, problem });
    const { store, stored, ends } = await endAmidTransfers(open, point, times, { ledger });
    expect(ends.map(({ status }) => status)).toEqual(stored.map(() => 'FAILED'));
    for (const end of ends) expect(end.problem).toContain('Nobody may write.');
    expect(ledger.executions()).toBe(0);
    expect(await grantsOf(store)).toEqual([]);
  },
};

/** @param times at which of its three steps, where the point is passed at each */
const steps = (...times: number[]): Recovery => ({
  name: 'in a deployment of three transactions',
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

const refusedOnce: Recovery = {
  name: 'where one is refused for certain, and the next would be taken: it fails, or happens once',
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
  name: 'before it is stored that an action is cancelled: nothing is done',
  times: [1],
  onPostgres: [1],
  async run(open, point, times) {
    const store = await open();
    const crash = crashAt(store, point, times);
    const first = await startLate({ store: crash.store, faults: crash.faults });
    const id = await first.send(await first.wallet());
    await pooled(first, 1);
    await expect(askChange(first, id, 'cancel')).rejects.toThrow();
    await crash.ended;
    expect(await store.read.all('SELECT change FROM action')).toEqual([{ change: null }]);
    expect(await kindsOf(store, id)).toEqual(['main']);
  },
};

const cancelled: Recovery = {
  name: 'of what is cancelled, which is left to the next one',
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
    await askChange(first, id, 'cancel').catch(() => undefined);
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
  name: 'of the empty transaction for a nonce that came back, which is taken once',
  times: [1],
  onPostgres: [1],
  async run(open, point, times) {
    const time = clock();
    const store = await open();
    const ledger = createMemoryLedger();
    const crash = crashAt(store, point, times);
    const first = await startEngine({ store: crash.store, faults: crash.faults, ledger, now: time.now });
    const [from, to] = [await first.wallet(), await first.wallet(0n)];
    const waiting = await waitAbove(first, from, to);
    const ended = { is: false };
    const watched = crash.ended.then(() => {
      ended.is = true;
    });
    await passUntil(time, () => ended.is);
    await watched;
    expect(await fillersOf(store)).toHaveLength(point === 'fill:after-commit' ? 1 : 0);
    const second = await startEngine({ store, ledger, now: time.now });
    await passUntil(time, () => emptyOnes(ledger).length > 0);
    ledger.mine(4);
    const [end] = await second.ended([waiting]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.balanceOf(to.address)).toBe(1n);
    expect(ledger.nonceOf(from.address)).toBe(2n);
  },
};

const told: Recovery = {
  name: 'of what a contract told, each event once',
  times: [1, 2],
  onPostgres: [2],
  run: endAmidEvents,
};

/** Every point: a new one does not compile until it is said how a server recovers from it. */
const recoveries: Readonly<Record<FaultPoint, readonly Recovery[]>> = {
  'accept:before-commit': [sequenced, unsequenced, expiring, steps(1)],
  'accept:after-commit': [sequenced, unsequenced, expiring, steps(1)],
  'sign:before-commit': [sequenced, unsequenced, expiring, expiry(1, 2), steps(1, 2, 3)],
  'sign:after-commit': [sequenced, unsequenced, expiring, expiry(1, 2), refused, steps(1, 2, 3)],
  'submit:before': [sequenced, unsequenced, expiring, expiry(1, 2), refused, steps(1, 2, 3)],
  'submit:after': [sequenced, unsequenced, expiring, expiry(1, 2), refused, steps(1, 2, 3)],
  'settle:before-commit': [sequenced, unsequenced, expiring, expiry(1, 2), steps(1, 2, 3)],
  'settle:after-commit': [sequenced, unsequenced, expiring, expiry(1, 2), steps(1, 2, 3)],
  'reject:before-commit': [refused, refusedOnce],
  'reject:after-commit': [refused, refusedOnce],
  'note:before-commit': [steps(1)],
  'note:after-commit': [steps(1)],
  'change:before-commit': [unchanged],
  'change:after-commit': [cancelled],
  'replace:before-commit': [cancelled],
  'replace:after-commit': [cancelled],
  'fill:before-commit': [filled],
  'fill:after-commit': [filled],
  'tell:before-commit': [told],
  'tell:after-commit': [told],
};

describeStores('a server that ends', (open, { dialect }) => {
  afterEach(stopEngines);

  describe.each(faultPoints)('at %s', (point) => {
    const cases = recoveries[point].flatMap((recovery) => {
      const times = dialect === 'postgres' ? recovery.onPostgres : recovery.times;
      const isRare = dialect === 'postgres' && recovery.rareOnPostgres === true;
      // The last time has passed everything that the first one comes to.
      return crashes(times, (nth) => nth === times.at(-1) && !isRare).map(
        (nth) => [recovery.name, nth, recovery] as const,
      );
    });
    test.each(cases)('%s (%i)', async (_, nth, recovery) => {
      await recovery.run(open, point, nth);
    });
  });
});
