// Exclusive accounts on ledgers without sequences are compared with their ledgers, transaction by transaction.
import type { AdapterDefinition, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { removeOld } from '../src/retention.ts';
import { deleteSuspension, insertSuspension, suspensionsTopic } from '../src/rows/actions/suspensions.ts';
import { acknowledgeUnknown } from '../src/rows/unknown-transactions.ts';
import { type EngineHarness, startEngine, stopEngines, transfer } from './engine-harness.ts';

const wait = { timeout: 30_000 };
/** With this setting, the engine compares an account before every signature. */
const always = { compareAgain: 0 };

function suspensionsOf(store: Store) {
  return store.read.all<{ id: string; name: string; cause: string | null; reason: string }>(
    'SELECT id, name, cause, reason FROM suspension',
  );
}

function unknownIn(store: Store) {
  return store.read.all<{ address: string; sequence: number | null; tx_id: string | null }>(
    'SELECT address, sequence, tx_id FROM unknown_transaction ORDER BY name',
  );
}

function comparedIn(store: Store) {
  return store.read.all<{ address: string; height: number; incomplete: string | null }>(
    'SELECT address, height, incomplete FROM compared_account ORDER BY height',
  );
}

async function resume(store: Store, { identity }: MemoryLedger, address: string): Promise<void> {
  const [{ id = '' } = {}] = await suspensionsOf(store);
  await store.transaction(async (tx) => {
    await deleteSuspension(tx, id);
    await acknowledgeUnknown(tx, { chainId: identity.id, address });
  });
  store.notify(suspensionsTopic);
}

async function succeed({ ended }: EngineHarness, ...ids: string[]): Promise<void> {
  const ends = await ended(ids);
  expect(ends.map(({ status, problem }) => [status, problem])).toEqual(ids.map(() => ['SUCCEEDED', null]));
}

/** Returns an adapter whose `transactionsOf` returns another result while `faulty` is set. */
function adapterOf(
  ledger: MemoryLedger,
  answer: (session: LedgerSession) => Required<LedgerSession>['transactionsOf'],
): { adapter: AdapterDefinition; fault: { isOn: boolean; calls: number } } {
  const fault = { isOn: true, calls: 0 };
  const inner = memoryAdapter(ledger, { technology: 'ethereum' });
  const adapter: AdapterDefinition = {
    ...inner,
    async open(config, host) {
      const session = await inner.open(config, host);
      return {
        ...session,
        transactionsOf: async (request) => {
          fault.calls += 1;
          if (fault.isOn) return answer(session)(request);
          return session.transactionsOf?.(request) ?? { txIds: [], head: 0, completeTo: 0 };
        },
      };
    },
  };
  return { adapter, fault };
}

describeStores('accounts without sequences', (open) => {
  afterEach(stopEngines);

  test('on a ledger without nonces, suspends an exclusive wallet before signing after another program sent a transaction', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const harness = await startEngine({ store, ledger });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const { txId } = ledger.outsideTransaction({
      ...{ privateKey: from.privateKey, recipient: to.address, amount: 7n },
    });
    ledger.mine(1);
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('unknown transactions'),
      wait,
    );
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'ready' });
    const [suspension] = await suspensionsOf(store);
    expect(suspension).toMatchObject({ name: from.uid, cause: 'unknown-transactions' });
    expect(suspension?.reason).toContain(txId);
    expect(await unknownIn(store)).toEqual([{ address: from.address, sequence: null, tx_id: txId }]);
    expect(harness.log.filter((line) => line.includes('wallet.unknown-transactions'))).toHaveLength(1);
    expect(ledger.balanceOf(to.address)).toBe(7n);

    await resume(store, ledger, from.address);
    await succeed(harness, id);
    expect(await unknownIn(store)).toEqual([]);
    await succeed(harness, await harness.send(from, transfer(to.address, 1n)));
    expect(await suspensionsOf(store)).toEqual([]);
    expect(ledger.balanceOf(to.address)).toBe(13n);
  });

  test('on a ledger without nonces, does not fail an overdue action until its wallet has been compared with the ledger', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const first = await startEngine({ store, ledger });
    const [from, other] = [await first.wallet(), await first.wallet()];
    await first.share(other);
    await store.transaction((tx) =>
      insertSuspension(tx, {
        ...{ subject: 'ledger', id: 'one', kind: 'ledger', name: 'ledger', scope: 'project' },
        ...{ reason: 'Maintenance.', created_by: 'alice', created_at: 1, cause: null },
      }),
    );
    store.notify(suspensionsTopic);
    const id = await first.send(from, transfer(from.address, 5n), { unsigned: true });
    const late = await first.send(other, transfer(from.address, 5n), { unsigned: true });
    await first.engine.stop();
    const { txId } = ledger.outsideTransaction({ privateKey: from.privateKey, amount: 5n });
    ledger.mine(3);
    await first.passDeadline(id);
    await first.passDeadline(late);
    const second = await startEngine({ store, ledger });
    const [end] = await second.ended([late]);
    expect(end?.problem).toContain('deadline-passed');
    await vi.waitFor(async () => expect(await unknownIn(store)).toHaveLength(1), wait);
    expect(await unknownIn(store)).toEqual([{ address: from.address, sequence: null, tx_id: txId }]);
    expect((await second.status(id)).status).toBe('PENDING');
  });

  test('after a restore, signs nothing until the transactions that the database may lack have expired', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ sequence: 'none', expiry: 10, autoMine: false });
    const first = await startEngine({ store, ledger });
    const [from, to] = [await first.wallet(), await first.wallet(0n)];
    await first.engine.stop();
    // This transaction is unknown, as if it had been signed just before the database was restored to an earlier state.
    // It is not in a block yet.
    ledger.outsideTransaction({ privateKey: from.privateKey, recipient: to.address, amount: 5n });
    const harness = await startEngine({ store, ledger, isCurrent: false });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('until block 10;'),
      wait,
    );
    ledger.mine(1);
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect(ledger.balanceOf(to.address)).toBe(5n);
    expect(ledger.submissions).toHaveLength(1);
    await resume(store, ledger, from.address);
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('until block 10;'),
      wait,
    );
    // One of the transactions may still be in block 10, or in a block that replaces it.
    ledger.mine(9);
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('the newest block is 10.'),
      wait,
    );
    ledger.mine(1);
    await vi.waitFor(async () => expect((await harness.status(id)).stage).toBe('signed'), wait);
  });

  test('lists every unknown transaction, and suspends again if another one appears after the wallet was resumed', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const harness = await startEngine({ store, ledger, timing: always });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const outside = () =>
      ledger.outsideTransaction({ privateKey: from.privateKey, recipient: to.address, amount: 1n }).txId;
    const some = Array.from({ length: 150 }, outside);
    ledger.mine(2);
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect((await unknownIn(store)).map(({ tx_id }) => tx_id)).toEqual(some.toSorted());
    await resume(store, ledger, from.address);
    await succeed(harness, id);
    const later = outside();
    ledger.mine(1);
    await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect(await unknownIn(store)).toEqual([{ address: from.address, sequence: null, tx_id: later }]);
  });

  test('suspends an exclusive wallet that only co-signs', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const harness = await startEngine({ store, ledger });
    const [from, payer, to] = [await harness.wallet(), await harness.wallet(), await harness.wallet(0n)];
    ledger.outsideTransaction({ privateKey: payer.privateKey, amount: 1n });
    ledger.mine(1);
    const operation = transfer(to.address, 5n);
    operation.native = { technology: 'ethereum', content: { payer: payer.address } };
    const id = await harness.send(from, operation, { others: [payer] });
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect(await suspensionsOf(store)).toEqual([expect.objectContaining({ name: payer.uid })]);
    expect((await harness.status(id)).status).toBe('PENDING');
    expect(ledger.balanceOf(to.address)).toBe(0n);
  });

  test('does not suspend a shared wallet or a wallet that only receives', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const harness = await startEngine({ store, ledger, timing: always });
    const [from, to] = [await harness.wallet(), await harness.wallet()];
    await harness.share(to);
    ledger.outsideTransaction({ privateKey: to.privateKey, recipient: from.address, amount: 1n });
    ledger.mine(1);
    await succeed(harness, await harness.send(from), await harness.send(to));
    expect(await suspensionsOf(store)).toEqual([]);
  });

  test('does not suspend because of transactions at or below the height at which the key was imported', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const harness = await startEngine({ store, ledger });
    const from = await harness.wallet();
    for (let made = 0; made < 100; made += 1)
      ledger.outsideTransaction({ privateKey: from.privateKey, amount: BigInt(made) });
    ledger.mine(4);
    await store.transaction((tx) => tx.run('UPDATE compared_account SET height = $1', [ledger.head.height]));
    await succeed(harness, await harness.send(from));
    expect(await suspensionsOf(store)).toEqual([]);
  });

  test('compares an account from the first block on if its key was created while no node responded', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const harness = await startEngine({ store, ledger, timing: always });
    const from = await harness.wallet();
    // After this, no height is stored for the account.
    await store.transaction((tx) => tx.run('DELETE FROM compared_account', []));
    await succeed(harness, await harness.send(from));
    expect(await suspensionsOf(store)).toEqual([]);
    expect(await comparedIn(store)).toHaveLength(1);
    // If the database is restored to its state at the wallet's creation, it lacks this payment, which the ledger
    // contains.
    ledger.outsideTransaction({ privateKey: from.privateKey });
    ledger.mine(1);
    // The same key is also used on another chain, which does not affect this chain.
    await store.transaction((tx) => tx.run("UPDATE compared_account SET chain = 'other/genesis'", []));
    await harness.send(from);
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
  });

  test('does not suspend a wallet because of restarts, takeovers, or actions that retention removed', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    await store.transaction((tx) =>
      tx.insertMany(
        'project',
        ['uid', 'id', 'project_id', 'organization_uid', 'name', 'created_at'],
        [['project', 1, 'project', 'organization', 'Project', 0]],
      ),
    );
    let harness = await startEngine({ store, ledger });
    const [from, payer] = [await harness.wallet(), await harness.wallet()];
    const operation = transfer(from.address, 5n);
    operation.native = { technology: 'ethereum', content: { payer: payer.address } };
    for (let start = 0; start < 4; start += 1) {
      const others = { others: [payer] };
      await succeed(harness, await harness.send(payer), await harness.send(from));
      // The payer only co-signed its newest transaction.
      await succeed(harness, await harness.send(from, operation, others));
      await store.transaction(async (tx) => {
        await tx.run('UPDATE action SET updated_at = 0', []);
        await tx.run('UPDATE attempt SET bytes = NULL WHERE settled_at IS NOT NULL', []);
      });
      await removeOld(store, { actionDays: 1 }, () => false);
      expect(await store.read.all('SELECT id FROM action')).toEqual([]);
      await stopEngines();
      harness = await startEngine({ store, ledger });
    }
    await succeed(harness, await harness.send(from), await harness.send(payer));
    expect(await suspensionsOf(store)).toEqual([]);
    expect(harness.log.filter((line) => line.includes('not-compared'))).toEqual([]);
  });

  test('does not suspend a wallet after a chain reset', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const harness = await startEngine({ store, ledger });
    const from = await harness.wallet();
    await succeed(harness, await harness.send(from));
    await stopEngines();
    ledger.reset();
    ledger.outsideTransaction({ privateKey: from.privateKey });
    ledger.mine(5);
    const next = await startEngine({ store, ledger });
    await succeed(next, await next.send(from));
    expect(await suspensionsOf(store)).toEqual([]);
  });

  test('signs while a node lacks the history, reports this, and finds missed transactions once a node has the history', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const { adapter, fault } = adapterOf(ledger, () => async () => {
      const { height } = ledger.head;
      return { txIds: [], head: height, completeTo: height, incomplete: 'The node n has no history.' };
    });
    const harness = await startEngine({ store, ledger, adapter, timing: always });
    const from = await harness.wallet();
    const { txId } = ledger.outsideTransaction({ privateKey: from.privateKey });
    ledger.mine(1);
    await succeed(harness, await harness.send(from), await harness.send(from));
    expect(await comparedIn(store)).toMatchObject([{ incomplete: 'The node n has no history.' }]);
    expect(harness.log.filter((line) => line.includes('wallet.not-compared'))).toHaveLength(1);
    fault.isOn = false;
    await harness.send(from);
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect(await unknownIn(store)).toMatchObject([{ tx_id: txId }]);
  });

  test('compares a listed transaction again if no node returned it', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    let isHidden = true;
    const inner = memoryAdapter(ledger, { technology: 'ethereum' });
    const adapter: AdapterDefinition = {
      ...inner,
      async open(config, host) {
        const session = await inner.open(config, host);
        const signersOf = async (txIds: string[]) =>
          isHidden ? txIds.map(() => null) : ((await session.signersOf?.(txIds)) ?? []);
        return { ...session, signersOf };
      },
    };
    const harness = await startEngine({ store, ledger, adapter, timing: always });
    const from = await harness.wallet();
    const { txId } = ledger.outsideTransaction({ privateKey: from.privateKey });
    ledger.mine(1);
    await succeed(harness, await harness.send(from));
    expect(await comparedIn(store)).toMatchObject([
      { height: 0, incomplete: `No node returns the transaction ${txId}.` },
    ]);
    isHidden = false;
    await harness.send(from);
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect(await unknownIn(store)).toMatchObject([{ tx_id: txId }]);
  });

  test('does not sign while the node is behind the block up to which the account was compared', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const { adapter, fault } = adapterOf(ledger, () => async () => ({ txIds: [], head: 2, completeTo: 2 }));
    const harness = await startEngine({ store, ledger, adapter });
    ledger.mine(5);
    const from = await harness.wallet();
    const { txId } = ledger.outsideTransaction({ privateKey: from.privateKey });
    ledger.mine(1);
    const id = await harness.send(from);
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('at block 2, but block 5 was read'),
      wait,
    );
    fault.isOn = false;
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
    expect(await unknownIn(store)).toMatchObject([{ tx_id: txId }]);
    expect((await harness.status(id)).stage).toBe('ready');
  });

  test.each(['fails', 'hangs'] as const)(
    'does not sign while the comparison with the ledger %s, and signs after a maximum wait',
    async (kind) => {
      const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
      const { adapter } = adapterOf(ledger, () => {
        const failing = () => Promise.reject(new Error('no route to host'));
        return kind === 'fails' ? failing : () => new Promise(() => undefined);
      });
      let now = Date.now();
      const timing = { prepare: 50, signAgain: { first: 10, longest: 20 } };
      const harness = await startEngine({ store, ledger, adapter, timing, now: () => now });
      const from = await harness.wallet();
      const id = await harness.send(from);
      await vi.waitFor(
        async () => expect((await harness.status(id)).waiting).toContain('could not be compared'),
        wait,
      );
      expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'ready' });
      now += 61_000;
      await succeed(harness, id);
      expect(await comparedIn(store)).toMatchObject([{ incomplete: expect.stringContaining('compared') }]);
    },
  );

  test('soon after startup, suspends an exclusive wallet without pending actions on a ledger without nonces', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const first = await startEngine({ store, ledger });
    const [from, payer, other] = [await first.wallet(), await first.wallet(), await first.wallet()];
    const operation = transfer(from.address, 5n);
    operation.native = { technology: 'ethereum', content: { payer: payer.address } };
    await succeed(first, await first.send(other), await first.send(from, operation, { others: [payer] }));
    // This wallet never signed, so it is not compared.
    await first.wallet();
    await stopEngines();
    for (const { privateKey } of [from, payer]) ledger.outsideTransaction({ privateKey });
    ledger.mine(1);
    const second = await startEngine({ store, ledger });
    await vi.waitFor(() => expect(second.log.join('\n')).toContain('accounts.compared {"count":3}'), wait);
    const names = (await suspensionsOf(store)).map(({ name }) => name);
    expect(names.toSorted()).toEqual([from.uid, payer.uid].toSorted());
  });

  test('compares an account again after a takeover, because the database may have failed over to an earlier state', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const harness = await startEngine({ store, ledger });
    const [from, other] = [await harness.wallet(), await harness.wallet()];
    await succeed(harness, await harness.send(from));
    ledger.outsideTransaction({ privateKey: from.privateKey });
    ledger.mine(1);
    await store.transaction((tx) => tx.run('UPDATE lane SET epoch = epoch + 1'));
    await vi.waitFor(() => expect(harness.log.join('\n')).toContain('lanes.lost'), wait);
    // This action is executed after the server has taken the leases again.
    await succeed(harness, await harness.send(other));
    await harness.send(from);
    await vi.waitFor(async () => expect(await suspensionsOf(store)).toHaveLength(1), wait);
  });

  test('compares an account with its ledger once after startup, even if the account sends many transactions', async () => {
    const [store, ledger] = [await open(), createMemoryLedger({ sequence: 'none' })];
    const { adapter, fault } = adapterOf(ledger, () => () => Promise.reject(new Error('unused')));
    fault.isOn = false;
    const harness = await startEngine({ store, ledger, adapter });
    const from = await harness.wallet();
    const ids = await Promise.all(Array.from({ length: 20 }, () => harness.send(from)));
    await succeed(harness, ...ids, await harness.send(from));
    expect(fault.calls).toBe(1);
  });
});
