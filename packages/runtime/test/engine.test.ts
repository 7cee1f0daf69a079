import type { AdapterDefinition, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeDialects } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { startEngine, stopEngines, transfer } from './engine-harness.ts';

/** Returns a ledger whose estimates have the status `wait` while `state.isWrong` is true. */
function waitingEstimates() {
  const ledger = createMemoryLedger();
  const inner = memoryAdapter(ledger, { technology: 'ethereum' });
  const state = { isWrong: true };
  const problem = {
    code: 'wrong-chain',
    phase: 'estimate',
    detail: 'The node is on another chain.',
  } as const;
  const adapter: AdapterDefinition = {
    ...inner,
    async open(...given) {
      const session = await inner.open(...given);
      const estimate: LedgerSession['estimate'] = async (requests) =>
        state.isWrong ? requests.map(() => ({ status: 'wait', problem })) : session.estimate(requests);
      return { ...session, estimate };
    },
  };
  return { ledger, adapter, state, problem };
}

describeDialects('the action engine', (open) => {
  afterEach(stopEngines);

  test('executes an accepted transfer exactly once and completes it with its locator', async () => {
    const harness = await startEngine({ store: await open() });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const id = await harness.send(from, transfer(to.address, 5n));
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', problem: null });
    expect(harness.ledger.executions({ to: to.address })).toBe(1);
    expect(harness.ledger.transaction(end?.locator ?? '')).toBeDefined();
    expect(harness.ledger.balanceOf(to.address)).toBe(5n);
  });

  test('executes many concurrent transfers of several wallets without a nonce gap', async () => {
    const harness = await startEngine({ store: await open(), properties: { max_in_flight: 1_000 } });
    const wallets = await Promise.all([1, 2, 3].map(() => harness.wallet()));
    const target = await harness.wallet(0n);
    const ids = await Promise.all(
      wallets.flatMap((from) =>
        Array.from({ length: 40 }, () => harness.send(from, transfer(target.address, 2n))),
      ),
    );
    const ends = await harness.ended(ids);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(harness.ledger.balanceOf(target.address)).toBe(240n);
    for (const { address } of wallets) expect(harness.ledger.nonceOf(address)).toBe(40n);
  });

  test('signs at most max_in_flight actions of a wallet, and further actions as earlier ones complete', async () => {
    const ledger = createMemoryLedger({ autoMine: false });
    const harness = await startEngine({ store: await open(), ledger, properties: { max_in_flight: 4 } });
    const from = await harness.wallet();
    const ids = await Promise.all(Array.from({ length: 10 }, () => harness.send(from)));
    await vi.waitFor(() => expect(ledger.pool.length).toBe(4), 30_000);
    const stages = await Promise.all(ids.map(async (id) => (await harness.status(id)).stage));
    expect(stages.filter((stage) => stage === 'ready')).toHaveLength(6);
    ledger.autoMine = true;
    ledger.mine();
    const ends = await harness.ended(ids);
    expect(ends.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
    expect(ledger.nonceOf(from.address)).toBe(10n);
  });

  test('an action waits for its dependencies and fails if a dependency fails', async () => {
    const harness = await startEngine({ store: await open() });
    const from = await harness.wallet();
    const first = await harness.send(from);
    const second = await harness.send(from, undefined, { dependencies: [first] });
    const [one, two] = await harness.ended([first, second]);
    expect([one?.status, two?.status]).toEqual(['SUCCEEDED', 'SUCCEEDED']);

    harness.ledger.autoMine = false;
    const doomed = await harness.send(from, undefined, {
      dependencies: [await harness.send(from)],
      deadline: Date.now() + 1,
    });
    const follower = await harness.send(from, undefined, { dependencies: [doomed] });
    const [end, after] = await harness.ended([doomed, follower]);
    expect(end?.problem).toContain('deadline-passed');
    expect(after?.problem).toContain('dependency-failed');
    const late = await harness.send(from, undefined, { dependencies: [doomed] });
    const [lateEnd] = await harness.ended([late]);
    expect(lateEnd?.problem).toContain('dependency-failed');
    const grants = await harness.store.read.all('SELECT action_id FROM action_grant');
    expect(grants).toEqual([]);
  });

  test('executes a transaction only once if a node accepts it without responding', async () => {
    const harness = await startEngine({ store: await open() });
    const from = await harness.wallet();
    harness.ledger.script({ kind: 'acceptAndTimeout', times: 3 });
    const ids = [await harness.send(from), await harness.send(from)];
    const ends = await harness.ended(ids);
    expect(ends.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
    expect(harness.ledger.nonceOf(from.address)).toBe(2n);
  });

  test('resends a transaction after a node rejects or forgets it', async () => {
    const harness = await startEngine({ store: await open() });
    const from = await harness.wallet();
    harness.ledger.script({ kind: 'rejectSubmits', times: 1 });
    harness.ledger.script({ kind: 'acceptButForget', times: 1 });
    const ids = [await harness.send(from), await harness.send(from), await harness.send(from)];
    const ends = await harness.ended(ids);
    expect(ends.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
    expect(harness.ledger.nonceOf(from.address)).toBe(3n);
  });

  test('an identical external transaction fails the action whose nonce it used, and no other action', async () => {
    const harness = await startEngine({ store: await open() });
    const from = await harness.wallet();
    harness.ledger.autoMine = false;
    const forgotten = harness.ledger.script({ kind: 'acceptButForget' });
    const taken = await harness.send(from);
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), 30_000);
    await harness.share(from);
    const same = { privateKey: from.privateKey, sequence: 0n, recipient: from.address, amount: 1n };
    const { txId: by } = harness.ledger.outsideTransaction(same);
    harness.ledger.mine(10);
    const [end] = await harness.ended([taken]);
    expect(end?.problem).toContain('nonce-taken');
    expect(end?.problem).toContain(`The transaction ${by} from outside this service used the nonce 0`);
    harness.ledger.autoMine = true;
    const [next] = await harness.ended([await harness.send(from)]);
    expect(next?.status).toBe('SUCCEEDED');
    expect(harness.ledger.nonceOf(from.address)).toBe(2n);
  });

  test('a reorg before confirmation does not change any result, and removed transactions are resent', async () => {
    const harness = await startEngine({ store: await open(), properties: { confirmations: 3 } });
    const from = await harness.wallet();
    harness.ledger.autoMine = false;
    const id = await harness.send(from);
    await vi.waitFor(() => expect(harness.ledger.pool.length).toBe(1), 30_000);
    harness.ledger.mine(2);
    harness.ledger.reorganise(2, 'vanish');
    expect((await harness.status(id)).status).toBe('PENDING');
    await vi.waitFor(() => expect(harness.ledger.pool.length).toBe(1), { timeout: 30_000 });
    harness.ledger.mine(3);
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(harness.ledger.nonceOf(from.address)).toBe(1n);
  });

  test('an action stays final if a reorg removes its block later, and its nonce is used again', async () => {
    const harness = await startEngine({ store: await open() });
    const from = await harness.wallet();
    const ids = await Promise.all([harness.send(from), harness.send(from)]);
    await harness.ended(ids);
    harness.ledger.autoMine = false;
    const { height } = harness.ledger.head;
    harness.ledger.reorganise(height, 'vanish');
    expect(harness.ledger.nonceOf(from.address)).toBe(0n);
    harness.ledger.autoMine = true;
    const next = await harness.send(from);
    harness.ledger.mine(1);
    const [end] = await harness.ended([next]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(harness.ledger.nonceOf(from.address)).toBe(3n);
    for (const id of ids) expect((await harness.status(id)).status).toBe('SUCCEEDED');
  });

  test('a chain reset fails the signed actions and restarts the nonces', async () => {
    const harness = await startEngine({ store: await open() });
    const from = await harness.wallet();
    await harness.ended([await harness.send(from)]);
    harness.ledger.autoMine = false;
    const lost = await harness.send(from, transfer(from.address, 7n));
    await vi.waitFor(() => expect(harness.ledger.pool.length).toBe(1), 30_000);
    harness.ledger.reset();
    // Until the engine detects the new chain, it may resend the old transaction, which the new chain must not mine.
    harness.ledger.rule = ({ value }) =>
      value === 7n ? 'The transaction belongs to another chain.' : undefined;
    harness.ledger.autoMine = true;
    harness.ledger.mine(1);
    const [end] = await harness.ended([lost]);
    expect(end?.problem).toContain('chain-reset');
    const [next] = await harness.ended([await harness.send(from)]);
    expect(next?.status).toBe('SUCCEEDED');
    // The engine may also have resent the first action's transaction, which the new chain executes. If the nonces had
    // not restarted, the next nonce would be 2, and the count then 3.
    expect([1n, 2n]).toContain(harness.ledger.nonceOf(from.address));
  });

  test('bumps a transaction with too low a fee, and the account continues', async () => {
    const ledger = createMemoryLedger();
    const harness = await startEngine({
      store: await open(),
      ledger,
      properties: { replace_after: 1, presigned_replacements: true },
    });
    const from = await harness.wallet();
    ledger.autoMine = false;
    const ids = [await harness.send(from), await harness.send(from)];
    await vi.waitFor(() => expect(ledger.pool.length).toBe(2), 30_000);
    ledger.gasPrice += 1n;
    ledger.autoMine = true;
    const ends = await harness.ended(ids);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(ledger.nonceOf(from.address)).toBe(2n);
  });

  test('if no bump is mined, the no-op uses the nonce, and only the action of that nonce fails', async () => {
    const ledger = createMemoryLedger();
    const harness = await startEngine({
      store: await open(),
      ledger,
      properties: { replace_after: 1, presigned_replacements: true },
    });
    const from = await harness.wallet();
    ledger.autoMine = false;
    const id = await harness.send(from);
    await vi.waitFor(() => expect(ledger.pool.length).toBe(1), 30_000);
    // The attempts have gas prices of 10, 13 and 17, and the no-op has 22. So only the no-op can be mined.
    ledger.gasPrice = 20n;
    ledger.autoMine = true;
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('dropped');
    const [next] = await harness.ended([await harness.send(from)]);
    expect(next?.status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(2n);
  });

  test('an estimate with the status "wait" does not fail an action, regardless of the reason', async () => {
    const { ledger, adapter, state, problem } = waitingEstimates();
    const harness = await startEngine({ store: await open(), ledger, adapter });
    const id = await harness.send(await harness.wallet(), undefined, { unsigned: true });
    await vi.waitFor(
      async () =>
        expect(await harness.status(id)).toMatchObject({ waiting: problem.detail, status: 'PENDING' }),
      30_000,
    );
    state.isWrong = false;
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
  });

  test('a wallet with more waiting actions than max_in_flight continues when their condition is met', async () => {
    const { adapter, ledger, state } = waitingEstimates();
    const harness = await startEngine({
      store: await open(),
      ledger,
      adapter,
      properties: { max_in_flight: 2 },
    });
    const from = await harness.wallet();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await harness.send(from, undefined, { unsigned: true }));
    await vi.waitFor(async () => {
      const states = await Promise.all(ids.map(harness.status));
      expect(states.filter(({ waiting }) => waiting !== null).length).toBeGreaterThanOrEqual(2);
    }, 30_000);
    state.isWrong = false;
    const ends = await harness.ended(ids);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
  });

  test("deadlines use the database's clock, not the server's clock", async () => {
    const harness = await startEngine({ store: await open(), now: () => Date.now() + 600_000 });
    const from = await harness.wallet();
    const deadline = Date.now() + 300_000;
    const [end] = await harness.ended([await harness.send(from, undefined, { unsigned: true, deadline })]);
    expect(end?.status).toBe('SUCCEEDED');
  });

  test('missing funds delay only the action that needs these funds', async () => {
    const harness = await startEngine({ store: await open(), properties: { max_in_flight: 100 } });
    const from = await harness.wallet(1_000_000n);
    const large = await harness.send(from, transfer(from.address, 900_000_000n));
    const small = await harness.send(from, transfer(from.address, 1n));
    const [end] = await harness.ended([small]);
    expect(end?.status).toBe('SUCCEEDED');
    await vi.waitFor(
      async () => expect((await harness.status(large)).waiting).toMatch(/can spend|funds|hold/),
      30_000,
    );
    harness.ledger.fund(from.address, 10n ** 12n);
    const [paid] = await harness.ended([large]);
    expect(paid?.status).toBe('SUCCEEDED');
  });
});
