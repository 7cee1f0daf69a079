// Tests for replacements. Each spends a coin that every earlier transaction of its action also spends, so that only one
// of them can be executed.
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { attemptsOf, change, claimsWorld } from './claims-harness.ts';
import { CoinLedger } from './coin-ledger.ts';
import { crashAt } from './crashing-store.ts';
import { stopEngines, transfer } from './engine-harness.ts';

const timing = { lease: 900, tick: 100, resend: 300 };

describeStores('claims of replacements', (open) => {
  afterEach(stopEngines);

  const { start, world } = claimsWorld(open);

  test('after a fee bump of a signed action, either the bump or the first transaction is executed, but not both', async () => {
    const { coins, harness, signed, pay } = await world([10, 10]);
    const id = await pay();
    await signed([id]);
    await change(harness, id, 'hurry');
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(2), 30_000);
    const [main, bump] = await attemptsOf(harness, id);
    expect(bump?.kind).toBe('bump');
    await vi.waitFor(() => expect([...coins.pool]).toEqual([bump?.tx_id]), 30_000);
    // A miner still has the first transaction.
    coins.mine([main?.tx_id ?? '']);
    coins.bury();
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', locator: main?.tx_id });
    expect(coins.balanceOf('shop')).toBe(10);
  });

  test('cancels a signed action with another transaction that spends the same coin', async () => {
    const { coins, harness, from, signed, pay } = await world([10]);
    const id = await pay();
    await signed([id]);
    await change(harness, id, 'cancel');
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(2), 30_000);
    const [, noop] = await attemptsOf(harness, id);
    await vi.waitFor(() => expect([...coins.pool]).toEqual([noop?.tx_id]), 30_000);
    coins.mine();
    coins.bury();
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('An empty transaction spent what the action would have spent');
    expect(coins.balanceOf('shop')).toBe(0);
    expect(coins.balanceOf(from.address)).toBeGreaterThan(0);
  });

  test('never stores a replacement that could be executed in addition to the first transaction', async () => {
    const { coins, harness, signed, pay } = await world([10, 10], { otherCoins: true });
    const id = await pay();
    await signed([id]);
    await change(harness, id, 'hurry');
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toMatch(/shares a claim with every earlier/),
      30_000,
    );
    expect(await attemptsOf(harness, id)).toHaveLength(1);
    expect(new Set(coins.submitted).size).toBe(1);
  });

  test('does not replace a transaction if another pending action spends its change', async () => {
    const { coins, harness, signed, pay } = await world([20], { spendsUnconfirmed: true });
    const parent = await pay();
    await signed([parent]);
    const child = await pay();
    await vi.waitFor(() => expect(coins.pool.size).toBe(2), 30_000);
    await change(harness, parent, 'hurry');
    await vi.waitFor(
      async () =>
        expect((await harness.status(parent)).waiting).toMatch(/coins that the current transaction creates/),
      30_000,
    );
    coins.mine();
    coins.bury();
    for (const { status } of await harness.ended([parent, child])) expect(status).toBe('SUCCEEDED');
    expect(coins.balanceOf('shop')).toBe(20);
  });

  test.each(['replace:before-commit', 'replace:after-commit'] as const)(
    'after a crash at %s, the next server raises the fee, and exactly one transaction is executed',
    async (point) => {
      const store = await open();
      const coins = new CoinLedger();
      const crash = crashAt(store, point);
      const first = await start(coins, { store: crash.store, faults: crash.faults, timing });
      const from = await first.wallet(0n);
      coins.fund(from.address);
      coins.fund(from.address);
      const id = await first.send(from, transfer('shop', 10n));
      await vi.waitFor(() => expect(coins.pool.size).toBe(1), 30_000);
      await change(first, id, 'hurry');
      await crash.ended;
      const second = await start(coins, { store, timing });
      await second.opened().then((ledger) => second.engine.track(ledger));
      await vi.waitFor(async () => expect(await attemptsOf(second, id)).toHaveLength(2), 30_000);
      const [main, bump] = await attemptsOf(second, id);
      await vi.waitFor(() => expect([...coins.pool]).toEqual([bump?.tx_id]), 30_000);
      coins.mine([main?.tx_id ?? '', bump?.tx_id ?? '']);
      coins.bury();
      const [end] = await second.ended([id]);
      expect(end).toMatchObject({ status: 'SUCCEEDED', locator: main?.tx_id });
      expect(coins.balanceOf('shop')).toBe(10);
    },
  );
});
