// Tests for actions that spend the outputs of other transactions.
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { claimsOf, claimsWorld, heldClaims, retractedBecause, retractionOf } from './claims-harness.ts';
import { stopEngines } from './engine-harness.ts';

describeStores('claims of parents', (open) => {
  afterEach(stopEngines);

  const { start, world } = claimsWorld(open);

  test('an action that spends the change of a failed action also fails, even on the next server', async () => {
    const { coins, harness, signed, pay } = await world([30], { spendsUnconfirmed: true });
    const parent = await pay();
    await signed([parent]);
    const child = await pay();
    await vi.waitFor(() => expect(coins.pool.size).toBe(2), 30_000);
    const grandchild = await pay();
    await vi.waitFor(() => expect(coins.pool.size).toBe(3), 30_000);
    await stopEngines();
    coins.outside('funding0:0');
    coins.mine();
    coins.bury();
    const next = await start(coins, { store: harness.store });
    await next.opened().then((ledger) => next.engine.track(ledger));
    const ends = await next.ended([parent, child, grandchild]);
    expect(ends.map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'FAILED']);
    expect(ends[1]?.problem).toContain('whose result this action spends');
    expect(await heldClaims(next)).toEqual([]);
  });

  test('an action that spends the change of a finished action fails if a deep reorg undoes the finished action', async () => {
    const { coins, harness, signed, pay } = await world([30]);
    const parent = await pay();
    await signed([parent]);
    coins.mine();
    coins.bury();
    await harness.ended([parent]);
    const child = await pay();
    await signed([child]);
    coins.reorg(3);
    const by = coins.outside('funding0:0');
    coins.mine([by]);
    coins.bury();
    const [end] = await harness.ended([child]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('whose result this action spends');
    await retractedBecause(harness, parent, by);
    expect(await heldClaims(harness)).toEqual([]);
  });

  test('if an action is undone, finished actions that spend its change are retracted, and pending ones fail', async () => {
    const { coins, harness, signed, pay } = await world([40]);
    const finished: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      finished.push(await pay());
      await signed(finished.slice(-1));
      coins.mine();
      coins.bury();
      await harness.ended(finished);
    }
    const pending = await pay();
    await signed([pending]);
    coins.reorg(9);
    const by = coins.outside('funding0:0');
    coins.mine([by]);
    coins.bury();
    const [parent = '', ...descendants] = finished;
    await retractedBecause(harness, parent, by);
    for (const id of descendants) await retractedBecause(harness, id, 'whose result it spends');
    const [end] = await harness.ended([pending]);
    expect(end?.problem).toContain('whose result this action spends');
    // A reorg brings back the first chain.
    coins.reorg(3);
    for (const txId of coins.submitted) coins.mine([txId]);
    coins.bury();
    for (const id of finished)
      await vi.waitFor(async () => expect(await retractionOf(harness, id)).toBeNull(), 30_000);
  });

  test('if a deposit is undone, pending actions that spend it fail, and finished ones are retracted', async () => {
    const { coins, harness, from, signed, pay } = await world([]);
    const foreign = [coins.fund('outside', 20), coins.fund('outside', 20)];
    for (const coin of foreign) coins.outside(coin, from.address);
    coins.mine();
    coins.bury();
    const finished = await pay(20);
    await signed([finished]);
    coins.mine();
    coins.bury();
    await harness.ended([finished]);
    const pending = await pay(20);
    await signed([pending]);
    coins.reorg(6);
    const takers = foreign.map((coin) => coins.outside(coin));
    coins.mine(takers);
    coins.bury();
    const [end] = await harness.ended([pending]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('claim-taken');
    await retractedBecause(harness, finished, 'which is spent by a transaction that this action depends on');
  });

  test('if a parent of a deposit is undone, pending actions that spend the deposit fail, and finished ones are retracted', async () => {
    const { coins, harness, from, signed, pay } = await world([]);
    const foreign = [coins.fund('outside', 20), coins.fund('outside', 20)];
    const parents = foreign.map((coin) => coins.outside(coin, 'stranger'));
    coins.mine();
    for (const txId of parents) coins.outside(`${txId}:0`, from.address);
    coins.mine();
    coins.bury();
    const finished = await pay(20);
    await signed([finished]);
    coins.mine();
    coins.bury();
    await harness.ended([finished]);
    const pending = await pay(20);
    await signed([pending]);
    coins.reorg(7);
    coins.mine(foreign.map((coin) => coins.outside(coin)));
    coins.bury();
    const [end] = await harness.ended([pending]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('claim-taken');
    await retractedBecause(harness, finished, 'which is spent by a transaction that this action depends on');
  });

  test('a transaction whose parent is undone before storing is prepared again, and its first bytes are never sent', async () => {
    const { coins, harness, from, signed, pay } = await world([20]);
    const parent = await pay();
    await signed([parent]);
    coins.mine();
    coins.bury();
    await harness.ended([parent]);
    const { promise, resolve } = Promise.withResolvers<void>();
    coins.prepareHold = promise;
    const before = coins.prepared.length;
    const child = await pay();
    await vi.waitFor(() => expect(coins.prepared.length).toBeGreaterThan(before), 30_000);
    coins.reorg(3);
    const by = coins.outside('funding0:0');
    coins.mine([by]);
    coins.bury();
    await retractedBecause(harness, parent, by);
    coins.fund(from.address);
    coins.prepareHold = undefined;
    resolve();
    await vi.waitFor(() => expect(coins.pool.size).toBe(1), 30_000);
    expect((await claimsOf(harness)).get(child)).toEqual([['funding1:0']]);
    expect(new Set(coins.submitted).size).toBe(2);
  });
});
