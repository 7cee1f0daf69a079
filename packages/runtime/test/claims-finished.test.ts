// Tests for finished actions whose coins are unspent again after a reorg, or are spent by other programs.
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { attemptsOf, claimsOf, claimsWorld, retractedBecause, retractionOf } from './claims-harness.ts';
import { CoinLedger } from './coin-ledger.ts';
import { stopEngines, transfer } from './engine-harness.ts';

describeStores('claims of finished actions', (open) => {
  afterEach(stopEngines);

  const { start, world } = claimsWorld(open);

  test('retracts a finished action if a reorg removes its block and another transaction spends its coin', async () => {
    const { coins, harness, signed, pay } = await world([10]);
    const id = await pay();
    await signed([id]);
    coins.mine();
    coins.bury();
    await harness.ended([id]);
    coins.reorg(3);
    const by = coins.outside('funding0:0');
    coins.mine([by]);
    coins.bury();
    await retractedBecause(harness, id, by);
    expect(await retractionOf(harness, id)).toContain('has used funding0:0, which this action spends');
    expect((await harness.status(id)).status).toBe('SUCCEEDED');
  });

  test('after a reorg, searches the whole chain only for transactions whose block may already have been read', async () => {
    const { coins, harness, signed, pay } = await world([10, 11, 12]);
    const finished = await pay(10);
    await signed([finished]);
    const [txId = ''] = coins.pool;
    coins.mine();
    coins.bury();
    await harness.ended([finished]);
    await signed([await pay(11), await pay(12)]);
    coins.searched.length = 0;
    coins.refused.add(txId);
    coins.reorg(3);
    await vi.waitFor(() => expect(coins.searched).toEqual([[txId]]), 30_000);
  });

  test('a finished action’s transaction is still known after another action of the wallet failed', async () => {
    const { coins, harness, signed, pay } = await world([10, 10, 10, 10], { conflict: 'continue' });
    const finished = await pay(20);
    await signed([finished]);
    coins.outside('funding0:0');
    coins.mine();
    coins.bury();
    await vi.waitFor(() => expect(coins.pool.size).toBe(1), 30_000);
    coins.mine();
    coins.bury();
    await harness.ended([finished]);
    delete coins.options.conflict;
    const pending = await pay();
    await signed([pending]);
    const txIds = (await attemptsOf(harness, finished)).map(({ tx_id }) => tx_id);
    expect(txIds).toHaveLength(2);
    coins.followed.txIds.clear();
    coins.reorg(6);
    await vi.waitFor(() => expect([...coins.followed.txIds]).toEqual(expect.arrayContaining(txIds)), 30_000);
    // One coin after another is spent by another program, until none of the three transactions can be executed.
    for (const coin of ['funding0:0', 'funding3:0', 'funding2:0']) {
      coins.mine([coins.outside(coin)]);
      const { height = 0 } = coins.blocks.at(-1) ?? {};
      coins.bury();
      await vi.waitFor(() => expect(coins.followed.height).toBeGreaterThanOrEqual(height), 30_000);
    }
    expect((await harness.status(pending)).status).toBe('FAILED');
    await retractedBecause(harness, finished, 'has used funding2:0');
  });

  test('no other action spends the coin of a finished action, even if a deep reorg frees the coin', async () => {
    const { coins, harness, signed, pay } = await world([10, 10]);
    const first = await pay();
    await signed([first]);
    const [txId = ''] = coins.pool;
    coins.mine();
    coins.bury();
    await harness.ended([first]);
    coins.refused.add(txId);
    coins.reorg(3);
    const second = await pay();
    await signed([second]);
    expect((await claimsOf(harness)).get(second)).toEqual([['funding1:0']]);
    coins.mine([txId, ...coins.pool]);
    coins.bury();
    await harness.ended([second]);
    expect(coins.balanceOf('shop')).toBe(20);
    expect(await retractionOf(harness, first)).toBeNull();
  });

  test('if a reorg removed the block of a finished action, resends its transaction until a node accepts it', async () => {
    const coins = new CoinLedger();
    const harness = await start(coins, { timing: { historyResend: 100 } });
    const from = await harness.wallet(0n);
    coins.fund(from.address);
    const id = await harness.send(from, transfer('shop', 10n));
    await vi.waitFor(() => expect(coins.pool.size).toBe(1), 30_000);
    const [txId = ''] = coins.pool;
    coins.mine();
    coins.bury();
    await harness.ended([id]);
    const sent = () => coins.submitted.length;
    const before = sent();
    coins.refused.add(txId);
    coins.reorg(3);
    await vi.waitFor(() => expect(sent()).toBeGreaterThan(before), 30_000);
    coins.refused.clear();
    await vi.waitFor(() => expect([...coins.pool]).toEqual([txId]), 30_000);
  });
});
