// Tests for claims: of the transactions that spend the same coin, at most one is executed.
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { prune } from '../src/rows/actions/prune.ts';
import { brokenInvariants } from '../src/verify/invariants.ts';
import { claimsOf, claimsWorld, heldClaims } from './claims-harness.ts';
import { stopEngines, transfer } from './engine-harness.ts';

describeStores('claims', (open) => {
  afterEach(stopEngines);

  const { start, world } = claimsWorld(open);

  test('many concurrent actions of one wallet each spend a different coin', async () => {
    const { coins, harness, pay } = await world(Array.from({ length: 30 }, () => 10));
    const ids = await Promise.all(Array.from({ length: 30 }, () => pay()));
    await vi.waitFor(() => expect(coins.pool.size).toBe(30), 30_000);
    expect(await heldClaims(harness)).toHaveLength(30);
    expect(await brokenInvariants(harness.store.read)).toEqual([]);
    coins.mine();
    coins.bury();
    const ends = await harness.ended(ids);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(coins.balanceOf('shop')).toBe(300);
    expect(await heldClaims(harness)).toEqual([]);
    // Actions that were prepared concurrently with others are prepared at most once more.
    expect(coins.prepared.length).toBeLessThanOrEqual(2 * 30);
  });

  test('actions of one wallet that spend different coins are prepared at the same time', async () => {
    const { coins, harness, signed, pay } = await world([10, 11, 12, 13]);
    const ids = [await pay(10)];
    await signed(ids);
    const { promise, resolve } = Promise.withResolvers<void>();
    coins.prepareHold = promise;
    for (const amount of [11, 12, 13]) ids.push(await pay(amount));
    await vi.waitFor(() => expect(coins.prepared).toHaveLength(4), 10_000).finally(resolve);
    await vi.waitFor(() => expect(coins.pool.size).toBe(4), 30_000);
    expect(coins.prepared).toHaveLength(4);
    coins.mine();
    coins.bury();
    for (const { status } of await harness.ended(ids)) expect(status).toBe('SUCCEEDED');
  });

  test('if several actions choose the same coin concurrently, all but the first are prepared again, one after another', async () => {
    const { coins, harness, pay } = await world([10, 10, 10]);
    const { promise, resolve } = Promise.withResolvers<void>();
    coins.prepareHold = promise;
    const ids = [await pay(), await pay(), await pay()];
    await vi.waitFor(() => expect(coins.prepared).toHaveLength(3), 10_000).finally(resolve);
    await vi.waitFor(() => expect(coins.pool.size).toBe(3), 30_000);
    expect(coins.prepared.map(({ unsettled = [] }) => unsettled.length)).toEqual([0, 0, 0, 1, 2]);
    expect(new Set(coins.submitted).size).toBe(3);
    coins.mine();
    coins.bury();
    for (const { status } of await harness.ended(ids)) expect(status).toBe('SUCCEEDED');
  });

  test('the first request of a restarted server lists the transactions that are not settled', async () => {
    const { coins, harness, from, signed, pay } = await world([10, 10]);
    await signed([await pay()]);
    await stopEngines();
    const next = await start(coins, { store: harness.store });
    const before = coins.prepared.length;
    await next.send(from, transfer('shop', 10n));
    await vi.waitFor(() => expect(coins.pool.size).toBe(2), 30_000);
    expect(coins.prepared.slice(before).map(({ unsettled = [] }) => unsettled.length)).toEqual([1]);
  });

  test('a restarted server spends only coins that no unfinished action spends', async () => {
    const { coins, harness, from, signed, pay } = await world([10, 10, 10]);
    const before = [await pay(), await pay()];
    await signed(before);
    await stopEngines();
    const next = await start(coins, { store: harness.store });
    const third = await next.send(from, transfer('shop', 10n));
    await vi.waitFor(() => expect(coins.pool.size).toBe(3), 30_000);
    expect(coins.prepared.at(-1)?.unsettled).toHaveLength(2);
    coins.mine();
    coins.bury();
    const ends = await next.ended([...before, third]);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
  });

  test('an action whose coin another action holds is prepared again, and its first bytes are never sent', async () => {
    const { coins, harness, from } = await world([10, 10]);
    const rival = await harness.wallet(0n);
    const [shared = ''] = [...coins.coinsOf(from.address)];
    // Both wallets may spend this coin, so both accounts choose the same claim.
    coins.share(shared, rival.address);
    coins.fund(rival.address);
    const ids = [
      await harness.send(from, transfer('shop', 10n)),
      await harness.send(rival, transfer('shop', 10n)),
    ];
    await vi.waitFor(() => expect(coins.pool.size).toBe(2), 30_000);
    const claims = [...(await claimsOf(harness)).values()].flat(2);
    expect(new Set(claims).size).toBe(claims.length);
    expect(new Set(coins.submitted).size).toBe(2);
    coins.mine();
    coins.bury();
    for (const { status } of await harness.ended(ids)) expect(status).toBe('SUCCEEDED');
  });

  test('an action fails if another transaction spends its coin, and the problem names the coin and that transaction', async () => {
    const { coins, harness, signed, pay } = await world([10]);
    const id = await pay();
    await signed([id]);
    const by = coins.outside('funding0:0');
    coins.mine();
    expect((await harness.status(id)).status).toBe('PENDING');
    coins.bury();
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('claim-taken');
    expect(end?.problem).toContain(`${by} used funding0:0`);
  });

  test('an outcome with a claim that the transaction does not hold does not complete the action', async () => {
    const { coins, harness, signed, pay } = await world([10], { claimsOthers: true });
    const id = await pay();
    await signed([id]);
    coins.outside('funding0:0');
    coins.mine();
    coins.bury();
    await vi.waitFor(
      async () =>
        expect((await harness.status(id)).waiting).toMatch(/no transaction that it needs claims it/),
      30_000,
    );
    expect((await harness.status(id)).status).toBe('PENDING');
  });

  test('after a conflict, the next transaction spends a coin of the first one, so that a reorg executes only one of them', async () => {
    const { coins, harness, signed, pay } = await world([10, 10, 10], { conflict: 'continue' });
    const id = await pay(20);
    await signed([id]);
    coins.outside('funding0:0');
    coins.mine();
    coins.bury();
    await vi.waitFor(async () => expect((await claimsOf(harness)).get(id)).toHaveLength(2), 30_000);
    const [first = [], second = []] = (await claimsOf(harness)).get(id) ?? [];
    expect(first).toEqual(['funding0:0', 'funding1:0']);
    expect(second).toEqual(['funding1:0', 'funding2:0']);
    // A reorg removes the block with the conflicting transaction, and both transactions are sent again.
    coins.reorg(3);
    await vi.waitFor(() => expect(coins.pool.size).toBeGreaterThan(0), 30_000);
    coins.mine(coins.submitted.toSorted());
    coins.bury();
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(coins.balanceOf('shop')).toBe(20);
  });

  test('after a conflict, never stores a transaction that could be executed in addition to the first one', async () => {
    const { coins, harness, signed, pay } = await world([10, 10], { conflict: 'continue', otherCoins: true });
    const id = await pay();
    await signed([id]);
    coins.outside('funding0:0');
    coins.mine();
    coins.bury();
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toMatch(/shares a claim with every earlier/),
      30_000,
    );
    expect((await claimsOf(harness)).get(id)).toHaveLength(1);
    expect(new Set(coins.submitted).size).toBe(1);
  });

  test('the claims of finished actions are kept as long as their signed bytes', async () => {
    const { coins, harness, signed, pay } = await world([10]);
    const id = await pay();
    await signed([id]);
    coins.mine();
    coins.bury();
    await harness.ended([id]);
    const held = () => harness.store.read.all('SELECT claim FROM claim');
    await prune(harness.store);
    expect(await held()).toEqual([{ claim: 'funding0:0' }]);
    expect(await brokenInvariants(harness.store.read)).toEqual([]);
    await harness.store.transaction((tx) => tx.run('UPDATE attempt SET settled_at = 1'));
    await prune(harness.store);
    expect(await held()).toEqual([]);
  });

  test('verification reports claims without a pending transaction, and pending transactions without their claims', async () => {
    const { harness, signed, pay } = await world([10, 10]);
    const [first = '', second = ''] = [await pay(), await pay()];
    await signed([first, second]);
    await harness.engine.stop();
    const [[claim = ''] = []] = (await claimsOf(harness)).get(first) ?? [];
    await harness.store.transaction(async (tx) => {
      await tx.run('UPDATE claim SET claim = $2 WHERE claim = $1', [claim, 'invented']);
      await tx.run('UPDATE claim SET action_id = $1 WHERE action_id = $2', [first, second]);
    });
    const broken = await brokenInvariants(harness.store.read);
    const of = (words: string) =>
      broken.filter(({ rule }) => rule.includes(words)).map(({ subject }) => subject);
    const [[other = ''] = []] = (await claimsOf(harness)).get(second) ?? [];
    expect(of('held claim').sort()).toEqual([other, 'invented'].sort());
    expect(of('holds all claims of this transaction').sort()).toEqual([first, second].sort());
  });
});
