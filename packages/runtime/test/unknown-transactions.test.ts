import { randomInt } from 'node:crypto';
import { type AdapterDefinition, adapterError } from '@ledger-ops/adapter';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { Principal } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { ChangeRequests, type ChangeRequestsOptions } from '../src/actions/change-requests.ts';
import type { ActionView } from '../src/actions/types.ts';
import { UnknownMatches } from '../src/actions/unknown-matches.ts';
import { sortLostActions } from '../src/engine/chains/lost-actions.ts';
import { UnknownTransactions } from '../src/engine/signing/unknown-transactions.ts';
import type { Tracker } from '../src/engine/tracking/tracker.ts';
import { noMeter } from '../src/meter.ts';
import { deleteSuspension, insertSuspension, suspensionsTopic } from '../src/rows/actions/suspensions.ts';
import { storeReset } from '../src/rows/chains/chains.ts';
import { storeFirstSequence } from '../src/rows/chains/sequences.ts';
import { failure, type LiveAction } from '../src/rows/model.ts';
import { readAccount } from '../src/rows/unknown-matches.ts';
import { acknowledgeUnknown, insertExecuted } from '../src/rows/unknown-transactions.ts';
import type { WalletRow } from '../src/wallets/types.ts';
import { startEngine, stopEngines, type TestWallet, transfer } from './engine-harness.ts';
import { requestChange } from './late-harness.ts';
import { clock, passUntil } from './lost-nonce.ts';

const wait = { timeout: 30_000 };

function suspensionsOf(store: Store) {
  return store.read.all<{ id: string; name: string; cause: string | null; created_by: string }>(
    'SELECT id, name, cause, created_by FROM suspension',
  );
}

function unknownIn(store: Store) {
  return store.read.all<{ address: string; sequence: number; tx_id: string | null }>(
    'SELECT address, sequence, tx_id FROM unknown_transaction ORDER BY sequence',
  );
}

type Row = Record<'chain' | 'address' | 'status', string> & { shard: number; retracted: string | null };

async function rowOf(store: Store, id: string): Promise<Row> {
  const [row] = await store.read.all<Row>(
    'SELECT chain, shard, address, status, retracted FROM action WHERE id = $1',
    [id],
  );
  if (row === undefined) throw new Error(`The action ${id} does not exist.`);
  return row;
}

/**
 * Leaves unsigned payments in a database, one of which was executed without the database knowing it, as after a
 * restore. The ledger is suspended, so nothing else compares the wallet with it. `others` are payments of shared
 * wallets, with a later deadline.
 */
async function forgetPayment(
  store: Store,
  ledger: MemoryLedger,
  { isLate = true, payments = 1, others = 0 } = {},
): Promise<{ id: string; others: string[] }> {
  const first = await startEngine({ store, ledger });
  const from = await first.wallet();
  await store.transaction((tx) =>
    insertSuspension(tx, {
      ...{ subject: 'ledger', id: 'one', kind: 'ledger', name: 'ledger', scope: 'project' },
      ...{ reason: 'Maintenance.', created_by: 'alice', created_at: 1, cause: null },
    }),
  );
  store.notify(suspensionsTopic);
  const sendAll = (wallet: TestWallet, count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        first.send(wallet, transfer(wallet.address, 5n), { unsigned: true }),
      ),
    );
  const [id = '', ...more] = await sendAll(from, payments);
  const shared = await first.wallet();
  await first.share(shared);
  const later = await sendAll(shared, others);
  await first.engine.stop();
  ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 5n });
  ledger.mine(3);
  if (isLate) for (const one of [id, ...more]) await first.passDeadline(one);
  await store.transaction(async (tx) => {
    for (const one of later) await tx.run('UPDATE action SET deadline = 2 WHERE id = $1', [one]);
  });
  return { id, others: later };
}

/** Placeholder for the problem of a settlement. Tests replace the problem or do not use it. */
const notFailed = new Problem('reverted', '').toDocument();

async function release(store: Store, chainId: string, address: string): Promise<void> {
  const [{ id = '' } = {}] = await suspensionsOf(store);
  await store.transaction(async (tx) => {
    await deleteSuspension(tx, id);
    await acknowledgeUnknown(tx, { chainId, address });
  });
  store.notify(suspensionsTopic);
}

/** Returns an adapter that cannot read transaction counts while `fault` is on. */
function withoutCounts(ledger: MemoryLedger): { adapter: AdapterDefinition; fault: { isOn: boolean } } {
  const fault = { isOn: true };
  const adapter = countingBy(ledger, async (count) => {
    if (fault.isOn) throw adapterError('unavailable', 'No route to host.', { phase: 'check' });
    return await count();
  });
  return { adapter, fault };
}

/** Returns an adapter that reads transaction counts with `read`. */
function countingBy(
  ledger: MemoryLedger,
  read: (count: () => Promise<bigint[]>, addresses: readonly string[]) => Promise<bigint[]>,
): AdapterDefinition {
  const inner = memoryAdapter(ledger, { technology: 'ethereum' });
  return {
    ...inner,
    async open(config, host) {
      const session = await inner.open(config, host);
      return { ...session, sequences: (...request) => read(() => session.sequences(...request), request[0]) };
    },
  };
}

describeStores('unknown transactions', (open) => {
  afterEach(stopEngines);

  test('suspends an exclusive wallet before it signs anything after another program sent a transaction', async () => {
    const store = await open();
    const harness = await startEngine({ store });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    ledger.outsideTransaction({
      privateKey: from.privateKey,
      sequence: 0n,
      recipient: to.address,
      amount: 7n,
    });
    ledger.mine(3);
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'ready' });
    expect(await suspensionsOf(store)).toEqual([
      expect.objectContaining({ name: from.uid, cause: 'unknown-transactions', created_by: 'ledger-ops' }),
    ]);
    expect(await unknownIn(store)).toEqual([{ address: from.address, sequence: 0, tx_id: null }]);
    expect(harness.log.filter((line) => line.includes('wallet.unknown-transactions'))).toHaveLength(1);

    await release(store, ledger.identity.id, from.address);
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(await unknownIn(store)).toEqual([]);
    const ours = ledger.transactions.filter(({ transaction }) => transaction.value === 5n);
    expect(ours.map(({ transaction }) => transaction.sequence)).toEqual([1n]);
  });

  test('finds all unknown transactions of a wallet that is far behind, a hundred at a time', async () => {
    const store = await open();
    const harness = await startEngine({ store });
    const { ledger } = harness;
    const from = await harness.wallet();
    for (let sequence = 0n; sequence < 103n; sequence += 1n)
      ledger.outsideTransaction({ privateKey: from.privateKey, sequence, amount: 7n });
    ledger.mine(3);
    const id = await harness.send(from, transfer(from.address, 5n));
    const sequences = async () => (await unknownIn(store)).map(({ sequence }) => Number(sequence));
    const all = Array.from({ length: 103 }, (_, sequence) => sequence);
    await vi.waitFor(async () => expect(await sequences()).toEqual(all.slice(0, 100)), wait);
    expect(await suspensionsOf(store)).toHaveLength(1);
    await release(store, ledger.identity.id, from.address);
    await vi.waitFor(async () => expect(await sequences()).toEqual(all.slice(100)), wait);
    expect(await suspensionsOf(store)).toHaveLength(1);
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'ready' });
    await release(store, ledger.identity.id, from.address);
    expect(await harness.ended([id])).toMatchObject([{ status: 'SUCCEEDED' }]);
    expect(ledger.transactions.at(-1)?.transaction).toMatchObject({ sequence: 103n, value: 5n });
  });

  test('suspends an exclusive wallet if an unknown transaction waits in a mempool', async () => {
    const store = await open();
    const harness = await startEngine({
      store,
      exclusive: true,
      ledger: createMemoryLedger({ autoMine: false }),
    });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 7n });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect((await harness.status(id)).stage).toBe('ready');
    expect(ledger.pool).toHaveLength(1);
  });

  test('compares mempools again after a takeover, because the database may have failed over to an earlier state', async () => {
    const store = await open();
    const harness = await startEngine({ store });
    const { ledger } = harness;
    const [from, other] = [await harness.wallet(), await harness.wallet()];
    await harness.ended([await harness.send(from)]);
    ledger.autoMine = false;
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 1n, amount: 7n });
    await store.transaction((tx) => tx.run('UPDATE lane SET epoch = epoch + 1'));
    await vi.waitFor(() => expect(harness.log.join('\n')).toContain('lanes.lost'), wait);
    // This action is signed after the server has taken the leases again.
    await harness.send(other);
    await harness.send(from, transfer(other.address, 5n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect(ledger.pool.filter(({ from: sender }) => sender === from.address)).toHaveLength(1);
  });

  test('does not suspend a wallet if another server signs for it while its account is read', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    let isOther = true;
    const adapter = countingBy(ledger, async (count) => {
      const counts = await count();
      // The engine has read the previous sequence.
      if (isOther) await store.transaction((tx) => tx.run('UPDATE sequence SET next = 1'));
      isOther = false;
      return counts;
    });
    const harness = await startEngine({ store, ledger, adapter });
    const from = await harness.wallet();
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n });
    ledger.mine(3);
    expect(await harness.ended([await harness.send(from)])).toMatchObject([{ status: 'SUCCEEDED' }]);
    expect(await suspensionsOf(store)).toEqual([]);
  });

  test('if an external transaction uses the nonce of a wallet that a user suspended, the suspension also states this cause', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const harness = await startEngine({ store, exclusive: true, ledger });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    await store.transaction((tx) =>
      insertSuspension(tx, {
        ...{ subject: from.uid, id: 'by-alice', kind: 'wallet', name: from.uid, scope: 'project' },
        ...{ reason: 'Maintenance.', created_by: 'alice', created_at: 1_000, cause: null },
      }),
    );
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 9n });
    ledger.mine(3);
    await vi.waitFor(async () => expect((await harness.status(id)).stage).toBe('ready'), wait);
    expect(await suspensionsOf(store)).toEqual([
      { id: 'by-alice', name: from.uid, cause: 'unknown-transactions', created_by: 'alice' },
    ]);
    expect((await harness.status(id)).status).toBe('PENDING');
    expect(harness.log.filter((line) => line.includes('wallet.unknown-transactions'))).toHaveLength(1);
  });

  test('retracts an action that a user marked as executed if another transaction uses its nonce after a deep reorg', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const harness = await startEngine({ store, exclusive: true, ledger });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const outside = { privateKey: from.privateKey, sequence: 0n, recipient: to.address, amount: 5n };
    const { txId } = ledger.outsideTransaction(outside);
    ledger.mine(3);
    const marked = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    const { chain, shard, address } = await rowOf(store, marked);
    const settlement = { ...failure(marked, false, notFailed), status: 'SUCCEEDED', problem: null } as const;
    await harness.engine.markExecuted({ ...settlement, locator: txId, height: 1 }, (tx) =>
      insertExecuted(tx, { actionId: marked, txId, chain, shard, address }, 0, Date.now()),
    );
    await release(store, ledger.identity.id, from.address);
    const next = await harness.send(from, transfer(to.address, 2n));
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), wait);
    ledger.mine(3);
    expect(await harness.ended([next])).toMatchObject([{ status: 'SUCCEEDED' }]);

    const { height } = ledger.head;
    ledger.reorganise(height, 'vanish');
    ledger.outsideTransaction({ ...outside, amount: 1n });
    ledger.mine(1);
    const by = ledger.transactions.at(-1)?.transaction.txId;
    ledger.autoMine = true;
    ledger.mine(height + 4);
    await vi.waitFor(async () => expect((await rowOf(store, marked)).retracted).not.toBeNull(), wait);
    const { status, retracted } = await rowOf(store, marked);
    expect([status, JSON.parse(retracted ?? '')]).toEqual(['SUCCEEDED', expect.objectContaining({ by })]);
    expect(harness.log.filter((line) => line.includes('action.retracted'))).toEqual([
      expect.stringContaining(marked),
    ]);
    // Only the later action was sent again.
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(3n), wait);
    expect((await rowOf(store, next)).retracted).toBeNull();
    // The service does not know the bytes of this transaction, so only the other signer has sent it.
    expect(ledger.submissions.filter((one) => one.txId === txId)).toHaveLength(1);
  });

  test('the next action uses a nonce that a deep reorg freed, even if a user marked an action with this nonce as executed', async () => {
    const store = await open();
    const time = clock();
    const ledger = createMemoryLedger({ autoMine: false });
    const harness = await startEngine({ store, exclusive: true, ledger, now: time.now });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const { txId } = ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 5n });
    ledger.mine(3);
    const marked = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    const { chain, shard, address } = await rowOf(store, marked);
    const settlement = { ...failure(marked, false, notFailed), status: 'SUCCEEDED', problem: null } as const;
    await harness.engine.markExecuted({ ...settlement, locator: txId, height: 1 }, (tx) =>
      insertExecuted(tx, { actionId: marked, txId, chain, shard, address }, 0, time.now()),
    );
    await release(store, ledger.identity.id, from.address);
    const { height } = ledger.head;
    ledger.reorganise(height, 'vanish');
    ledger.autoMine = true;
    ledger.mine(height + 4);
    const next = await harness.send(from, transfer(to.address, 2n));
    await passUntil(time, async () => (await harness.status(next)).status !== 'PENDING');
    expect((await harness.status(next)).status).toBe('SUCCEEDED');
    const used = ledger.transactions.filter(({ transaction }) => transaction.value === 2n);
    expect(used.map(({ transaction }) => transaction.sequence)).toEqual([0n]);
    await passUntil(time, async () => (await rowOf(store, marked)).retracted !== null);
  });

  test('an action is reported as a match if its contract is unknown, or if an unknown transaction used its nonce', async () => {
    const store = await open();
    const harness = await startEngine({ store, ledger: createMemoryLedger({ autoMine: false }) });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const unknownMatches = new UnknownMatches({ store, ledgers: { open: () => harness.opened() } });
    const matches = async () => {
      const account = await readAccount(store.read, from.uid);
      if (account === undefined) throw new Error('The wallet does not exist.');
      const [compared] = await unknownMatches.compare(account);
      return new Set(compared?.open.map(({ actionId }) => actionId));
    };
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const signed = await harness.send(from, transfer(to.address, 7n));
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    ledger.outsideTransaction({
      privateKey: from.privateKey,
      sequence: 0n,
      recipient: to.address,
      amount: 7n,
    });
    ledger.mine(1);
    const { chain } = await rowOf(store, signed);
    // The engine stores this row before the action becomes unsigned again.
    await store.transaction((tx) =>
      tx.run(
        "INSERT INTO unknown_transaction (chain, address, name, sequence, found_at) VALUES ($1, $2, 'nonce:0', 0, 1)",
        [chain, from.address],
      ),
    );
    expect(await matches()).toEqual(new Set([signed]));
    const other = await harness.send(from, transfer(to.address, 9n), { unsigned: true });
    expect(await matches()).toEqual(new Set([signed]));
    const plan = JSON.stringify({ deferred: 'deployment', operation: {} });
    await store.transaction((tx) => tx.run('UPDATE action SET plan = $2 WHERE id = $1', [other, plan]));
    expect(await matches()).toEqual(new Set([signed, other]));
  });

  test('fails an action at its deadline only after a user has resolved the unknown transactions', async () => {
    const store = await open();
    const harness = await startEngine({ store, exclusive: true });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 5n });
    ledger.mine(3);
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    const other = await harness.wallet(0n);
    const waiting = await harness.send(other, transfer(to.address, 5n), { unsigned: true });
    // Even if the key also signs elsewhere from now on, the action does not fail.
    await harness.share(from);
    await harness.passDeadline(id);
    await harness.passDeadline(waiting);
    const [late] = await harness.ended([waiting]);
    expect(late?.problem).toContain('deadline-passed');
    // This settles the action like the command `end-pending`, with which a user decides that it fails.
    const given = await harness.send(from, transfer(to.address, 6n));
    await store.transaction((tx) => tx.run('UPDATE action SET deadline = 0 WHERE id = $1', [given]));
    expect(await harness.ended([given])).toMatchObject([{ status: 'FAILED' }]);
    expect((await harness.status(id)).status).toBe('PENDING');
    await release(store, ledger.identity.id, from.address);
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('deadline-passed');
  });

  test('keeps an action pending past its deadline until its ledger responds, and then compares its wallet', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const { id } = await forgetPayment(store, ledger);
    const { adapter, fault } = withoutCounts(ledger);
    const second = await startEngine({ store, ledger, adapter });
    await vi.waitFor(() => expect(second.log.join('\n')).toContain('action.not-compared'), wait);
    fault.isOn = false;
    await vi.waitFor(async () => expect(await unknownIn(store)).toHaveLength(1), wait);
    expect((await second.status(id)).status).toBe('PENDING');
  });

  test('compares a wallet with the ledger before an action fails at its deadline', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const first = await startEngine({ store, ledger, exclusive: true });
    const from = await first.wallet();
    // Nothing is signed, so nothing else compares the wallet with its ledger.
    await store.transaction((tx) =>
      tx.run(
        "INSERT INTO suspension (subject, id, kind, name, scope, reason, created_by, created_at) VALUES ('ledger', 'one', 'ledger', 'ledger', 'project', 'Maintenance', 'alice', 1)",
      ),
    );
    store.notify(suspensionsTopic);
    const id = await first.send(from, transfer(from.address, 5n), { unsigned: true });
    await first.engine.stop();
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 5n });
    ledger.mine(3);
    await first.passDeadline(id);
    const second = await startEngine({ store, ledger, exclusive: true });
    await vi.waitFor(async () => expect(await unknownIn(store)).toHaveLength(1), wait);
    expect((await second.status(id)).status).toBe('PENDING');
  });

  test('keeps an action pending past its deadline until its ledger is served, and then compares its wallet', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const { id, others } = await forgetPayment(store, ledger, { others: 1 });
    const unserved = await startEngine({ store, ledger, deleted: new Set(['ledger']) });
    const [end] = await unserved.ended(others);
    expect(end?.problem).toContain('deadline-passed');
    expect((await unserved.status(id)).status).toBe('PENDING');
    await unserved.engine.stop();
    const served = await startEngine({ store, ledger });
    await vi.waitFor(async () => expect(await unknownIn(store)).toHaveLength(1), wait);
    expect((await served.status(id)).status).toBe('PENDING');
  });

  test('fails other actions at their deadline while 500 actions of a ledger that is not served must wait', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const { id, others } = await forgetPayment(store, ledger, { payments: 500, others: 1 });
    const unserved = await startEngine({ store, ledger, deleted: new Set(['ledger']) });
    const [end] = await unserved.ended(others);
    expect(end?.problem).toContain('deadline-passed');
    expect((await unserved.status(id)).status).toBe('PENDING');
  });

  test('canceling an action whose ledger is not served reports that the action may have been executed', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const { id } = await forgetPayment(store, ledger);
    const { engine } = await startEngine({ store, ledger, deleted: new Set(['ledger']) });
    const changes = new ChangeRequests({
      ...{ store, engine, now: Date.now },
      ledgers: {
        open: () => Promise.reject(new Error('It was deleted.')),
        reopen: () => Promise.reject(new Error('It was deleted.')),
      },
      wallets: { demand: async () => ({}) as WalletRow },
      vault: {} as ChangeRequestsOptions['vault'],
      get: async () => ({ uid: id, status: 'PENDING', walletId: 'wallet' }) as ActionView,
    });
    const by = { serviceId: 'service', appId: 'app' } as Principal;
    expect(await changes.cancel(by, id, {})).toMatchObject({
      ...{ status: 'FAILED', problem: { detail: expect.stringContaining('could not be compared') } },
    });
  });

  test.each([
    ['fails', () => Promise.reject(adapterError('unavailable', 'No route to host.', { phase: 'check' }))],
    ['does not answer in time', () => new Promise<bigint[]>(() => {})],
  ])('an account is not treated as compared before a cancellation if its ledger %s', async (_, read) => {
    const [store, ledger] = [await open(), createMemoryLedger()];
    let isBroken = false;
    const adapter = countingBy(ledger, (count) => (isBroken ? read() : count()));
    const harness = await startEngine({ store, ledger, adapter, timing: { prepare: 50 } });
    const [{ address }, opened] = [await harness.wallet(), await harness.opened()];
    const chain = await harness.engine.chainOf(opened);
    expect(await harness.engine.compare(opened, chain, address)).toBe(true);
    isBroken = true;
    expect(await harness.engine.compare(opened, chain, address)).toBe(false);
  });

  test('does not mark an action as executed if it was signed in the meantime', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ autoMine: false })];
    const harness = await startEngine({ store, ledger });
    const from = await harness.wallet();
    const id = await harness.send(from);
    await vi.waitFor(async () => expect((await harness.status(id)).stage).toBe('signed'), wait);
    const write = vi.fn(async () => {});
    const marking = harness.engine.markExecuted(failure(id, false, notFailed), write);
    await expect(marking).rejects.toMatchObject({ problem: 'conflict' });
    expect(write).not.toHaveBeenCalled();
    expect((await harness.status(id)).status).toBe('PENDING');
  });

  test('reports that an action that fails because of its dependency may have been executed', async () => {
    const store = await open();
    const harness = await startEngine({ store });
    const { ledger } = harness;
    const [from, other] = [await harness.wallet(), await harness.wallet(0n)];
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 5n });
    ledger.mine(3);
    await harness.send(from, transfer(from.address, 1n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    await harness.share(other);
    const first = await harness.send(other, transfer(from.address, 1n), { unsigned: true });
    const dependent = await harness.send(from, transfer(from.address, 5n), { dependencies: [first] });
    await harness.passDeadline(first);
    const [end] = await harness.ended([dependent]);
    expect(end?.problem).toContain('dependency-failed');
    expect(end?.problem).toContain('may have executed the action');
  });

  test.each(['its dependency fails', 'its dependency failed before the action was accepted'])(
    'a wallet that never signed is compared with its ledger before an action fails because %s',
    async (when) => {
      const [store, ledger] = [await open(), createMemoryLedger()];
      const first = await startEngine({ store, ledger });
      const [from, other] = [await first.wallet(), await first.wallet()];
      await first.share(other);
      const dependency = await first.send(other, transfer(from.address, 1n), { deadline: 2, unsigned: true });
      if (when === 'its dependency failed before the action was accepted') await first.ended([dependency]);
      // As after a restore, the database does not contain this transaction, which executed the dependent action.
      ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 5n });
      ledger.mine(3);
      const dependent = await first.send(from, transfer(from.address, 5n), { dependencies: [dependency] });
      const [end] = await first.ended([dependent]);
      expect(end?.problem).toContain('dependency-failed');
      expect(end?.problem).toContain('may have executed the action');
      expect(await unknownIn(store)).toMatchObject([{ address: from.address, sequence: 0 }]);
    },
  );

  test('reports that an action that fails with its dependency may have been executed if its ledger does not respond', async () => {
    const [store, ledger] = [await open(), createMemoryLedger()];
    const { adapter } = withoutCounts(ledger);
    const harness = await startEngine({ store, ledger, adapter });
    const [from, other] = [await harness.wallet(), await harness.wallet()];
    await harness.share(other);
    const dependency = await harness.send(other, transfer(from.address, 1n), { deadline: 2, unsigned: true });
    const dependent = await harness.send(from, transfer(from.address, 5n), { dependencies: [dependency] });
    const [end] = await harness.ended([dependent]);
    expect(end?.problem).toContain('could not be compared with the ledger');
  });

  test('reports that an action that was accepted while its dependency was failing may have been executed', async () => {
    const [store, ledger] = [await open(), createMemoryLedger()];
    const [comparing, compared] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const gated: string[] = [];
    const adapter = countingBy(ledger, async (count, addresses) => {
      if (!addresses.some((one) => gated.includes(one))) return await count();
      comparing.resolve();
      await compared.promise;
      return await count();
    });
    const harness = await startEngine({ store, ledger, adapter });
    const [other, early, late] = [await harness.wallet(0n), await harness.wallet(), await harness.wallet()];
    gated.push(early.address);
    await harness.share(other);
    const dependency = await harness.send(other, transfer(early.address, 1n), { unsigned: true });
    const first = await harness.send(early, transfer(early.address, 5n), { dependencies: [dependency] });
    await harness.passDeadline(dependency);
    await comparing.promise;
    const second = await harness.send(late, transfer(late.address, 5n), { dependencies: [dependency] });
    compared.resolve();
    const ends = await harness.ended([first, second]);
    expect(ends.map(({ problem }) => problem?.includes('may have executed the action'))).toEqual([
      false,
      true,
    ]);
  });

  test('compares the wallets of all actions in a batch before they fail with their dependency', async () => {
    const [store, ledger] = [await open(), createMemoryLedger()];
    const harness = await startEngine({ store, ledger });
    const { engine, prepare } = harness;
    const [other, from, last] = [await harness.wallet(0n), await harness.wallet(), await harness.wallet()];
    await harness.share(other);
    const dependency = await harness.send(other, transfer(from.address, 1n), { deadline: 2, unsigned: true });
    await harness.ended([dependency]);
    ledger.outsideTransaction({ privateKey: last.privateKey, sequence: 0n, amount: 5n });
    ledger.mine(3);
    const first = await prepare(from, undefined, { dependencies: [dependency] });
    const second = await prepare(last, undefined, { dependencies: [first.action.id] });
    await engine.acceptBatch([first, second]);
    const ends = await harness.ended([first.action.id, second.action.id]);
    expect(ends.map(({ problem }) => problem?.includes('may have executed the action'))).toEqual([
      false,
      true,
    ]);
    expect(await unknownIn(store)).toMatchObject([{ address: last.address, sequence: 0 }]);
  });

  test('does not warn if an action of a shared wallet fails with its dependency, even if the ledger does not respond', async () => {
    const [store, ledger] = [await open(), createMemoryLedger()];
    const harness = await startEngine({ store, ledger, adapter: withoutCounts(ledger).adapter });
    const [other, from] = [await harness.wallet(0n), await harness.wallet()];
    for (const wallet of [other, from]) await harness.share(wallet);
    const dependency = await harness.send(other, transfer(from.address, 1n), { unsigned: true });
    const dependent = await harness.send(from, transfer(from.address, 5n), { dependencies: [dependency] });
    await harness.passDeadline(dependency);
    const [end] = await harness.ended([dependent]);
    expect(end?.problem).toContain('dependency-failed');
    expect(end?.problem).not.toContain('may have');
  });

  test('compares a wallet with the ledger before an action fails because the ledger refuses it', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const { id } = await forgetPayment(store, ledger, { isLate: false });
    const refusing: AdapterDefinition = {
      ...memoryAdapter(ledger, { technology: 'ethereum' }),
      async open(config, host) {
        const session = await memoryAdapter(ledger, { technology: 'ethereum' }).open(config, host);
        const problem = { code: 'refused', detail: 'It was paid already.', phase: 'estimate' } as const;
        return { ...session, estimate: async (all) => all.map(() => ({ status: 'failed', problem })) };
      },
    };
    await store.transaction((tx) => tx.run('DELETE FROM suspension', []));
    const second = await startEngine({ store, ledger, adapter: refusing });
    await vi.waitFor(async () => expect(await unknownIn(store)).toHaveLength(1), wait);
    expect((await second.status(id)).status).toBe('PENDING');
  });

  test('soon after startup, suspends an exclusive wallet without pending actions, even for a transaction in a mempool', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const first = await startEngine({ store, ledger });
    const wallets = [await first.wallet(), await first.wallet(), await first.wallet(), await first.wallet()];
    const [mined, pooled, untouched, shared] = wallets;
    for (const wallet of wallets) await first.ended([await first.send(wallet)]);
    if (shared !== undefined) await first.share(shared);
    await first.engine.stop();
    const outside = (from: typeof mined) =>
      ledger.outsideTransaction({
        privateKey: from?.privateKey ?? new Uint8Array(),
        sequence: 1n,
        amount: 1n,
      });
    outside(mined);
    outside(shared);
    ledger.mine(3);
    ledger.autoMine = false;
    outside(pooled);
    const second = await startEngine({ store, ledger });
    await vi.waitFor(() => expect(second.log.join('\n')).toContain('accounts.compared {"count":3}'), wait);
    expect((await suspensionsOf(store)).map(({ name }) => name).toSorted()).toEqual(
      [mined?.uid, pooled?.uid].toSorted(),
    );
    expect((await suspensionsOf(store)).map(({ name }) => name)).not.toContain(untouched?.uid);
  });

  test('compares wallets without pending actions as soon as their ledger responds', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const first = await startEngine({ store, ledger });
    const wallets = await Promise.all(Array.from({ length: 6 }, () => first.wallet()));
    for (const wallet of wallets) await first.ended([await first.send(wallet)]);
    await first.engine.stop();
    const [from] = wallets;
    ledger.outsideTransaction({ privateKey: from?.privateKey ?? new Uint8Array(), sequence: 1n });
    ledger.mine(3);
    const { adapter, fault } = withoutCounts(ledger);
    // With this delay, the second pass starts after the test has seen the first one.
    const compareIdleAgain = { first: 2_000, longest: 2_000 };
    const second = await startEngine({ store, ledger, adapter, timing: { compareIdleAgain } });
    const failures = () => second.log.filter((line) => line.includes('account.not-compared')).length;
    await vi.waitFor(() => expect(failures()).toBe(3), wait);
    fault.isOn = false;
    await vi.waitFor(() => expect(second.log.join('\n')).toContain('accounts.compared {"count":6}'), wait);
    // After three failures in a row, a ledger is not read again before the next pass.
    expect(failures()).toBe(3);
    expect(await suspensionsOf(store)).toEqual([expect.objectContaining({ name: from?.uid })]);
  });

  test('does not read the ledger for wallets that never signed', async () => {
    const store = await open();
    const first = await startEngine({ store });
    const { ledger } = first;
    await first.wallet();
    await first.ended([await first.send(await first.wallet())]);
    await first.engine.stop();
    const second = await startEngine({ store, ledger });
    await vi.waitFor(() => expect(second.log.join('\n')).toContain('accounts.compared {"count":1}'), wait);
  });

  test('a shared wallet continues to sign after another program sent a transaction', async () => {
    const store = await open();
    const harness = await startEngine({ store, exclusive: false });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n });
    ledger.mine(3);
    const [end] = await harness.ended([await harness.send(from, transfer(to.address, 5n))]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(await suspensionsOf(store)).toEqual([]);
  });

  test('suspends an exclusive wallet whose nonce another transaction used, and keeps the action', async () => {
    const store = await open();
    const harness = await startEngine({
      store,
      exclusive: true,
      ledger: createMemoryLedger({ autoMine: false }),
    });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    const { txId } = ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 9n });
    ledger.mine(3);
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    await vi.waitFor(async () => expect((await harness.status(id)).stage).toBe('ready'), wait);
    expect(await unknownIn(store)).toEqual([{ address: from.address, sequence: 0, tx_id: txId }]);
    expect((await harness.status(id)).waiting).toContain(txId);

    await release(store, ledger.identity.id, from.address);
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), wait);
    ledger.mine(3);
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('suspends an exclusive wallet even if no node names the transaction that used a nonce', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const inner = memoryAdapter(ledger, { technology: 'ethereum' });
    const adapter: AdapterDefinition = {
      ...inner,
      async open(config, host) {
        const session = await inner.open(config, host);
        const confirm: typeof session.confirm = async (request) => {
          const confirmed = await session.confirm(request);
          const outcomes = confirmed.outcomes.map((outcome) => {
            if (outcome.status !== 'superseded') return outcome;
            const { by: _, ...unnamed } = outcome;
            return unnamed;
          });
          return { ...confirmed, outcomes };
        };
        return { ...session, confirm };
      },
    };
    const harness = await startEngine({ store, ledger, adapter });
    const from = await harness.wallet();
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await harness.send(from);
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 9n });
    ledger.mine(3);
    await vi.waitFor(async () => expect((await harness.status(id)).stage).toBe('ready'), wait);
    expect(await suspensionsOf(store)).toHaveLength(1);
    expect(await unknownIn(store)).toEqual([{ address: from.address, sequence: 0, tx_id: null }]);
  });

  test('does not prepare an action again while its wallet cannot be suspended', async () => {
    const store = await open();
    const harness = await startEngine({ store });
    const { address } = await harness.wallet();
    const chain = await harness.engine.chainOf(await harness.opened());
    const failing = { read: store.read, transaction: () => Promise.reject(new Error('The disk is full.')) };
    const unknown = new UnknownTransactions(
      {
        store: failing as Pick<Store, 'read' | 'transaction'> as Store,
        log: () => {},
        meter: noMeter,
        now: Date.now,
      },
      chain,
    );
    const action = { id: 'action', address, kept: true } as LiveAction;
    const end = failure('action', true, notFailed);
    const sorting = sortLostActions({ store, chain, unknown }, {} as Tracker, [
      { action, sequence: 0, by: '0x01', end, unsure: end },
    ]);
    await expect(sorting).rejects.toThrow('The disk is full.');
  });

  test('does not suspend an exclusive wallet if a transaction in the database used a nonce', async () => {
    const store = await open();
    const harness = await startEngine({ store });
    const { address, ...from } = await harness.wallet();
    const [own] = await harness.ended([await harness.send({ address, ...from })]);
    const chain = await harness.engine.chainOf(await harness.opened());
    const unknown = new UnknownTransactions({ store, log: () => {}, meter: noMeter, now: Date.now }, chain);
    await unknown.noteTaken([{ address, sequence: 0, by: own?.locator ?? undefined }]);
    expect(await suspensionsOf(store)).toEqual([]);
    await unknown.noteTaken([
      { address, sequence: 0, by: own?.locator ?? undefined },
      { address, sequence: 1, by: '0x01' },
    ]);
    expect(await suspensionsOf(store)).toHaveLength(1);
    expect(await unknownIn(store)).toEqual([{ address, sequence: 1, tx_id: '0x01' }]);
  });

  test('transactions that an account signed before resets of its chain are not treated as unknown', async () => {
    const store = await open();
    const harness = await startEngine({ store });
    const { address } = await harness.wallet();
    const base = await harness.engine.chainOf(await harness.opened());
    await store.transaction(async (tx) => {
      await storeReset(tx, base, 0);
      await storeReset(tx, base, 1);
      await storeFirstSequence(tx, { chain: `${base}/1`, next: 5 }, address);
      await storeFirstSequence(tx, { chain: `${base}/2`, next: 1 }, address);
    });
    const context = { store, log: () => {}, meter: noMeter, now: Date.now };
    const unknown = new UnknownTransactions(context, `${base}/2`);
    expect(await unknown.isAhead(address, 5, 1)).toBe(false);
    expect(await unknown.isAhead(address, 6, 1)).toBe(true);
    expect(await unknownIn(store)).toMatchObject([{ address, sequence: 5 }]);
  });

  test('signs an action of a shared wallet again with a new nonce if an external transaction used its nonce', async () => {
    const store = await open();
    const harness = await startEngine({
      store,
      exclusive: false,
      ledger: createMemoryLedger({ autoMine: false }),
    });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 9n });
    ledger.mine(3);
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), wait);
    ledger.mine(3);
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    const paid = ledger.transactions.filter(({ transaction }) => transaction.value === 5n);
    expect(paid.map(({ transaction }) => transaction.sequence)).toEqual([1n]);
    const attempts = await store.read.all<{ n: number; sequence: number }>(
      'SELECT n, sequence FROM attempt WHERE action_id = $1 ORDER BY n',
      [id],
    );
    expect(attempts).toEqual([
      { n: 0, sequence: 0 },
      { n: 1, sequence: 1 },
    ]);
  });

  test('never sends the old bytes of an action again after a deep reorg freed their nonce', async () => {
    const store = await open();
    const time = clock();
    const ledger = createMemoryLedger({ autoMine: false });
    const harness = await startEngine({ store, exclusive: false, now: time.now, ledger });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    const former = ledger.submissions.at(-1)?.txId;
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 9n });
    ledger.mine(3);
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), wait);
    ledger.mine(3);
    await harness.ended([id]);
    const before = ledger.submissions.length;
    const { height } = ledger.head;
    ledger.reorganise(height, 'vanish');
    ledger.autoMine = true;
    ledger.mine(height + 4);
    const next = await harness.send(from, transfer(to.address, 2n));
    await passUntil(time, async () => (await harness.status(next)).status !== 'PENDING');
    expect((await harness.status(next)).status).toBe('SUCCEEDED');
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(7n), wait);
    const later = ledger.submissions.slice(before).map(({ txId }) => txId);
    expect(later).not.toContain(former);
  });

  test('never sends the old bytes of an action that was signed again, even after a restart and a reorg that freed their nonce', async () => {
    const store = await open();
    const time = clock();
    const ledger = createMemoryLedger({ autoMine: false });
    const options = { store, exclusive: false, now: time.now, ledger };
    const first = await startEngine(options);
    const [from, to] = [await first.wallet(), await first.wallet(0n)];
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await first.send(from, transfer(to.address, 5n));
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    const former = ledger.submissions.at(-1)?.txId;
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 9n });
    ledger.mine(3);
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), wait);
    await stopEngines();
    const before = ledger.submissions.length;
    const { height } = ledger.head;
    ledger.reorganise(height, 'vanish');
    ledger.autoMine = true;
    ledger.mine(height + 4);
    const harness = await startEngine(options);
    await passUntil(time, async () => (await harness.status(id)).status !== 'PENDING');
    expect((await harness.status(id)).status).toBe('SUCCEEDED');
    expect(ledger.balanceOf(to.address)).toBe(5n);
    const later = ledger.submissions.slice(before).map(({ txId }) => txId);
    expect(later).not.toContain(former);
  });

  test.each([
    ['was canceled', {}],
    ['cannot be signed again', { replace_after: 0 }],
  ])(
    'reports that an action may have been executed if it %s after an unknown transaction used its nonce',
    async (why, properties) => {
      const [store, ledger] = [await open(), createMemoryLedger({ autoMine: false })];
      const harness = await startEngine({ store, ledger, properties });
      const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
      const forgotten = ledger.script({ kind: 'acceptButForget' });
      const id = await harness.send(from, transfer(to.address, 5n));
      await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
      // As after a restore, the database does not contain this replacement, which executed the payment.
      const { privateKey } = from;
      ledger.outsideTransaction({
        privateKey,
        sequence: 0n,
        recipient: to.address,
        amount: 5n,
        gasPrice: 99n,
      });
      ledger.mine(1);
      if (why === 'was canceled') {
        const grant = await harness.grant(from, id, 0);
        expect(await requestChange(harness, id, 'cancel', undefined, grant)).toBe('stored');
      }
      ledger.mine(3);
      const [end] = await harness.ended([id]);
      expect(end?.problem).toContain('nonce-taken');
      expect(end?.problem).toContain('may have executed the action');
      expect(end?.problem).toContain('"mayBeExecuted":true');
      expect(end?.problem).not.toContain('Nothing was executed');
    },
  );

  test("compares the effect of the transaction that used an action's nonce, even if the action cannot be signed again", async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ autoMine: false })];
    const properties = { replace_after: 0 };
    const harness = await startEngine({ store, exclusive: false, ledger, properties });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    const { privateKey } = from;
    ledger.outsideTransaction({ privateKey, sequence: 0n, recipient: to.address, amount: 5n, gasPrice: 99n });
    ledger.mine(3);
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('had the same effect as this action');
  });

  test('does not sign a canceled action of a shared wallet again after an external transaction used its nonce', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ autoMine: false })];
    const harness = await startEngine({ store, exclusive: false, ledger });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 9n });
    ledger.mine(1);
    const grant = await harness.grant(from, id, 0);
    expect(await requestChange(harness, id, 'cancel', undefined, grant)).toBe('stored');
    ledger.autoMine = true;
    ledger.mine(3);
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'FAILED', problem: expect.stringContaining('nonce-taken') });
    expect(ledger.balanceOf(to.address)).toBe(0n);
  });

  test('fails an action of a shared wallet if the transaction that used its nonce had the same effect', async () => {
    const store = await open();
    const harness = await startEngine({
      store,
      exclusive: false,
      ledger: createMemoryLedger({ autoMine: false }),
    });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    const same = { privateKey: from.privateKey, sequence: 0n, recipient: to.address, amount: 5n };
    ledger.outsideTransaction(same);
    ledger.mine(3);
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('had the same effect as this action');
  });

  test('executes each of 120 payments of a shared wallet once despite another signer and reorgs', async () => {
    const store = await open();
    const properties = { confirmations: 3, max_in_flight: 40 };
    const harness = await startEngine({
      store,
      exclusive: false,
      properties,
      ledger: createMemoryLedger({ autoMine: false }),
    });
    const { ledger } = harness;
    const from = await harness.wallet();
    const targets = await Promise.all(Array.from({ length: 120 }, () => harness.wallet(0n)));
    const ids = await Promise.all(
      targets.map((to, index) => harness.send(from, transfer(to.address, BigInt(index + 1)))),
    );
    const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));
    console.log(`seed ${seed}`);
    const chance = numbersOf(seed);
    const outside = new Set<string>();
    let isDone = false;
    const done = harness.ended(ids).then((ends) => {
      isDone = true;
      return ends;
    });
    while (!isDone) {
      const next = ledger.nonceOf(from.address);
      // Only nonces that the engine signed are taken, so that some payments are signed again.
      const signed = ledger.pool.find(({ sequence }) => sequence === next);
      const { size } = outside;
      if (signed !== undefined && (size < 3 || (size < 20 && chance(2) === 0))) {
        const gasPrice = signed.gasPrice * 4n;
        const taking = { privateKey: from.privateKey, sequence: next, amount: 0n, gasPrice };
        const { status, txId } = ledger.outsideTransaction(taking);
        if (status === 'accepted') outside.add(txId);
      }
      ledger.mine(1);
      // A reorg of unconfirmed blocks replaces the other program's transaction with the engine's, or the other way
      // around.
      if (chance(6) === 0) ledger.reorganise(1 + chance(2), chance(2) === 0 ? 'return' : 'vanish');
      await store.transaction(async () => {});
      await new Promise((resolve) => setImmediate(resolve));
    }
    const ends = await done;
    expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    ledger.mine(5);
    for (const [index, { address }] of targets.entries())
      expect(ledger.balanceOf(address)).toBe(BigInt(index + 1));
    const again = await store.read.all('SELECT action_id FROM attempt WHERE kind = $1 AND n > 0', ['main']);
    const taken = ledger.transactions.filter(({ transaction }) => outside.has(transaction.txId));
    // A reorg may have removed all of these transactions.
    expect(again.length > 0).toBe(taken.length > 0);
  });
});

/** Returns a function that generates integers below a limit. They depend only on the seed. */
function numbersOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % below;
  };
}
