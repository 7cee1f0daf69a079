import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { shardOf } from '../src/rows/chains/chain-key.ts';
import type { Faults } from '../src/rows/faults.ts';
import type { Timing } from '../src/timing.ts';
import { CoinLedger } from './coin-ledger.ts';
import { type EngineHarness, startEngine, stopEngines, type TestWallet, transfer } from './engine-harness.ts';
import { RecordedReads } from './recorded-reads.ts';

const patience = { timeout: 30_000 };

/** Sends `count` transfers of 1 and waits until they succeed. */
async function completeTransfers(harness: EngineHarness, from: TestWallet, to: TestWallet, count: number) {
  const ids: string[] = [];
  for (let one = 0; one < count; one += 1) ids.push(await harness.send(from, transfer(to.address, 1n)));
  const ends = await harness.ended(ids);
  expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 'SUCCEEDED'));
  return ids;
}

async function retractedOf({ store }: EngineHarness, id: string) {
  const [row] = await store.read.all<{ retracted: string | null; status: string; locator: string }>(
    'SELECT retracted, status, locator FROM action WHERE id = $1',
    [id],
  );
  if (row === undefined) throw new Error(`There is no action ${id}.`);
  return { ...row, retracted: row.retracted === null ? null : JSON.parse(row.retracted) };
}

describeStores('finished actions on a ledger that loses blocks', (open) => {
  afterEach(stopEngines);

  test('at startup, resends final transactions that a reorg removed, even for wallets without pending actions', async () => {
    const store = await open();
    const before = await startEngine({ store });
    const { ledger } = before;
    const [from, to] = [await before.wallet(), await before.wallet(0n)];
    await completeTransfers(before, from, to, 12);
    await stopEngines();
    const { height } = ledger.head;
    ledger.reorganise(height - 2, 'vanish');
    ledger.mine(height);
    expect(ledger.balanceOf(to.address)).toBeLessThan(12n);
    await startEngine({ store, ledger });
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(12n), patience);
    expect(ledger.nonceOf(from.address)).toBe(12n);
  });

  test('reports another transaction that used a finished action’s nonce, and later that the original is on the ledger again', async () => {
    const store = await open();
    const before = await startEngine({ store });
    const { ledger } = before;
    const [from, to] = [await before.wallet(), await before.wallet(0n)];
    const ids = await completeTransfers(before, from, to, 3);
    const [lost, ...others] = ids;
    await stopEngines();
    const height = ledger.head.height;
    ledger.reorganise(height, 'vanish');
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n });
    ledger.mine(1);
    const by = ledger.transactions.at(-1)?.transaction.txId;
    ledger.mine(height + 1);
    const harness = await startEngine({ store, ledger });
    await vi.waitFor(async () => {
      const { retracted, status } = await retractedOf(harness, lost ?? '');
      expect(status).toBe('SUCCEEDED');
      expect(retracted).toMatchObject({ by, detail: expect.stringContaining('another transaction') });
    }, patience);
    // After the reorg, the later transfers are on the ledger again.
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(2n), patience);
    for (const id of others) expect((await retractedOf(harness, id)).retracted).toBeNull();
    const logged = harness.log.filter((line) => line.includes('action.retracted'));
    expect(logged).toEqual([expect.stringContaining(lost ?? '')]);

    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(2 * height + 4);
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(3n), patience);
    await vi.waitFor(
      async () => expect((await retractedOf(harness, lost ?? '')).retracted).toBeNull(),
      patience,
    );
    const steps = await store.read.all('SELECT * FROM timeline_bundle');
    expect(JSON.stringify(steps)).toContain('reinstate');
  });

  const openCoins = async (timing: Partial<Timing> = {}, faults: Faults = () => undefined) => {
    const coins = new CoinLedger({ lookup: true });
    const recorded = new RecordedReads(coins.adapter());
    const { adapter } = recorded;
    const harness = await startEngine({ store: await open(), adapter, timing, faults });
    return { coins, recorded, harness };
  };

  const retracted = (harness: EngineHarness, id: string) =>
    vi.waitFor(async () => expect((await retractedOf(harness, id)).retracted).not.toBeNull(), patience);

  /** Sends payments of one coin each, and waits until they are in the pool. */
  const pay = async (
    { coins, harness }: Pick<Awaited<ReturnType<typeof openCoins>>, 'coins' | 'harness'>,
    from: TestWallet,
    count = 1,
  ) => {
    const before = coins.pool.size;
    for (let n = 0; n < count; n += 1) coins.fund(from.address);
    const sent = Array.from({ length: count }, () => harness.send(from, transfer('shop', 10n)));
    const ids = await Promise.all(sent);
    await vi.waitFor(() => expect(coins.pool.size).toBe(before + count), patience);
    return ids;
  };

  test('after a reorg, compares the newest actions of all wallets first, even if there are many older ones', async () => {
    const { coins, harness } = await openCoins();
    const wallets = await Promise.all(Array.from({ length: 20 }, () => harness.wallet(0n)));
    const [first, ...others] = wallets;
    const second = others.find(({ address }) => shardOf(address) !== shardOf(first?.address ?? ''));
    if (first === undefined || second === undefined) throw new Error('All wallets are in one shard.');
    const older = await pay({ coins, harness }, first, 101);
    older.push(...(await pay({ coins, harness }, second, 101)));
    coins.mine();
    coins.bury();
    await harness.ended(older);
    const newest = [...(await pay({ coins, harness }, first)), ...(await pay({ coins, harness }, second))];
    const txIds = [...coins.pool];
    coins.mine();
    coins.bury();
    await harness.ended(newest);
    const before = coins.lookedUp.length;
    coins.reorg(3);
    coins.mine(
      txIds.flatMap((txId) => coins.known.get(txId)?.inputs ?? []).map((coin) => coins.outside(coin)),
    );
    coins.bury();
    for (const id of newest) await retracted(harness, id);
    // All of these actions are looked up in the first batch.
    for (const txId of txIds) expect(coins.lookedUp.slice(before).indexOf(txId)).toBeLessThan(100);
  });

  /**
   * Sends payments from one wallet and waits until they succeed. Returns the actions in the order in which the engine
   * compares them.
   */
  const finish = async (setting: Awaited<ReturnType<typeof openCoins>>, count: number) => {
    const { coins, harness } = setting;
    const ids = await pay(setting, await harness.wallet(0n), count);
    coins.mine();
    coins.bury();
    await harness.ended(ids);
    const found = await Promise.all(
      ids.map(async (id) => ({ id, txId: (await retractedOf(harness, id)).locator })),
    );
    return found.toSorted((one, two) => (one.id < two.id ? 1 : -1));
  };

  /** Replaces the newest blocks with others, in which another program spends the coins of these transactions. */
  const steal = (coins: CoinLedger, txIds: readonly string[]) => {
    coins.reorg(3);
    coins.mine(
      txIds.flatMap((txId) => coins.known.get(txId)?.inputs ?? []).map((coin) => coins.outside(coin)),
    );
    coins.bury();
  };

  test('a lookup that is never answered does not delay the retraction of another action', async () => {
    const setting = await openCoins({ historyLookup: 600_000 });
    const { coins, harness } = setting;
    const [first, second] = await finish(setting, 2);
    if (first === undefined || second === undefined) throw new Error('Two actions were sent.');
    coins.lookups.hanging.add(first.txId);
    steal(coins, [second.txId]);
    await retracted(harness, second.id);
  });

  test('a lookup that is never answered does not delay the comparison after another reorg', async () => {
    const setting = await openCoins({ historyLookup: 600_000 });
    const { coins, harness } = setting;
    const [first] = await finish(setting, 1);
    if (first === undefined) throw new Error('An action was sent.');
    coins.lookups.hanging.add(first.txId);
    const before = coins.lookedUp.length;
    coins.reorg(3);
    coins.mine([first.txId]);
    coins.bury();
    await vi.waitFor(() => expect(coins.lookedUp.slice(before)).toContain(first.txId), patience);
    const [second] = await finish(setting, 1);
    if (second === undefined) throw new Error('Another action was sent.');
    steal(coins, [second.txId]);
    await retracted(harness, second.id);
  });

  test.each(['hanging', 'failing'] as const)(
    'a %s lookup delays neither the retraction of its own action nor the retraction of older actions',
    async (kind) => {
      const setting = await openCoins({ historyLookup: 100 });
      const { coins, harness } = setting;
      const all = await finish(setting, 12);
      const [newest, oldest] = [all[0], all.at(-1)];
      if (newest === undefined || oldest === undefined) throw new Error('Actions were sent.');
      coins.lookups[kind].add(newest.txId);
      steal(coins, [newest.txId, oldest.txId]);
      for (const { id } of [newest, oldest]) await retracted(harness, id);
    },
  );

  test("reports another transaction that used a finished action's nonce, even if it is deep when the reorg is noticed", async () => {
    const setting = await openCoins();
    const { coins, harness, recorded } = setting;
    const [action] = await finish(setting, 1);
    if (action === undefined) throw new Error('One action was sent.');
    const before = recorded.lookups.length;
    steal(coins, [action.txId]);
    await retracted(harness, action.id);
    const outcomes = recorded.afterLookup(action.txId, before).flatMap((read) => read.outcomes);
    expect(outcomes).toContainEqual(expect.objectContaining({ txId: action.txId, status: 'superseded' }));
  });

  test.each([
    { sequence: 'account', status: 'superseded', what: 'another transaction with the nonce' },
    { sequence: 'none', status: 'expired', what: 'that the transaction expired' },
  ] as const)(
    'reports $what, even if it was already final when the reorg was noticed',
    async ({ sequence, status }) => {
      const ledger = createMemoryLedger({ sequence, ...(sequence === 'none' && { expiry: 4 }) });
      const recorded = new RecordedReads(memoryAdapter(ledger, { technology: 'ethereum' }));
      const harness = await startEngine({ store: await open(), ledger, adapter: recorded.adapter });
      const from = await harness.wallet();
      const [end] = await harness.ended([await harness.send(from)]);
      const { id = '', locator } = end ?? {};
      // The engine detects a reorg only of blocks that it has read.
      await vi.waitFor(() => expect(recorded.reads.at(-1)?.cursor).toBe(ledger.head.height), patience);
      const before = recorded.lookups.length;
      const { height } = ledger.head;
      ledger.reorganise(height, 'vanish');
      if (sequence === 'account') ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n });
      ledger.mine(height + 10);
      await retracted(harness, id);
      const outcomes = recorded.afterLookup(locator ?? '', before).flatMap((read) => read.outcomes);
      expect(outcomes).toContainEqual(expect.objectContaining({ txId: locator, status }));
    },
  );

  test('reports another transaction that uses the nonce after the reorg, without searching the chain again', async () => {
    const setting = await openCoins();
    const { coins, harness, recorded } = setting;
    const [action] = await finish(setting, 1);
    if (action === undefined) throw new Error('One action was sent.');
    const before = coins.lookedUp.length;
    coins.reorg(3);
    await vi.waitFor(() => expect(coins.lookedUp.slice(before)).toContain(action.txId), patience);
    await vi.waitFor(() => expect(coins.followed.txIds).toContain(action.txId), patience);
    const [coin = ''] = coins.known.get(action.txId)?.inputs ?? [];
    const height = coins.blocks.length;
    coins.mine([coins.outside(coin)]);
    coins.bury();
    await retracted(harness, action.id);
    const read = recorded.reads.find(({ cursor }) => cursor >= height);
    expect(read?.outcomes).toMatchObject([{ txId: action.txId, status: 'superseded' }]);
    expect(coins.searched.flat().filter((txId) => txId === action.txId)).toHaveLength(1);
  });

  test('a retraction is not delayed if outcomes of other actions cannot be stored', async () => {
    let isBroken = false;
    const setting = await openCoins({}, (point) => {
      if (isBroken && point === 'settle:before-commit') throw new Error('The write fails.');
    });
    const { coins, harness } = setting;
    const [action] = await finish(setting, 1);
    if (action === undefined) throw new Error('One action was sent.');
    isBroken = true;
    const [other = ''] = await pay(setting, await harness.wallet(0n));
    coins.mine();
    coins.bury();
    await vi.waitFor(() => expect(harness.log.join()).toContain('ledger.trouble'), patience);
    coins.reorg(6);
    await vi.waitFor(() => expect(coins.pool.size).toBe(2), patience);
    const [coin = ''] = coins.known.get(action.txId)?.inputs ?? [];
    coins.mine([...coins.pool].filter((txId) => txId !== action.txId).concat(coins.outside(coin)));
    coins.bury();
    await retracted(harness, action.id);
    expect((await harness.status(other)).status).toBe('PENDING');
    isBroken = false;
    await harness.ended([other]);
  });

  test('does not search the chain again for an action that was already retracted', async () => {
    const setting = await openCoins();
    const { coins, harness } = setting;
    const [action] = await finish(setting, 1);
    if (action === undefined) throw new Error('One action was sent.');
    steal(coins, [action.txId]);
    await retracted(harness, action.id);
    const [searches, lookups] = [coins.searched.flat().length, coins.lookedUp.length];
    coins.reorg(2);
    await vi.waitFor(() => expect(coins.lookedUp.slice(lookups)).toContain(action.txId), patience);
    await vi.waitFor(() => expect(coins.followed.txIds).toContain(action.txId), patience);
    expect(coins.searched.flat()).toHaveLength(searches);
    // This reorg removes the transaction that spent the coin.
    coins.reorg(5);
    await vi.waitFor(() => expect(coins.pool).toContain(action.txId), patience);
    coins.mine();
    coins.bury();
    await vi.waitFor(
      async () => expect((await retractedOf(harness, action.id)).retracted).toBeNull(),
      patience,
    );
  });

  test('after a reorg, immediately resends only the finished transactions that the ledger no longer contains', async () => {
    const setting = await openCoins();
    const { coins, harness } = setting;
    const [kept] = await finish(setting, 1);
    const [lost] = await finish(setting, 1);
    const before = coins.submitted.length;
    coins.reorg(3);
    await vi.waitFor(() => expect(coins.pool).toContain(lost?.txId), patience);
    expect(coins.submitted.slice(before)).toEqual([lost?.txId]);
    expect((await retractedOf(harness, kept?.id ?? '')).retracted).toBeNull();
  });
});
