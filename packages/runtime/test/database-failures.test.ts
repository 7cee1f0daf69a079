import type { AdapterDefinition, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { type Store, StoreError, type Tx } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { startEngine, stopEngines } from './engine-harness.ts';

type Read = Parameters<Store['read']['all']>;

/** Returns a store that calls `before` ahead of each read, which can delay the read or make it fail. */
function withReadHook(store: Store, before: (sql: Read[0], params: Read[1]) => Promise<void>): Store {
  const { read } = store;
  return {
    ...store,
    read: {
      ...read,
      get db() {
        return read.db;
      },
      async all(sql, params) {
        await before(sql, params);
        return read.all(sql, params);
      },
    },
  };
}

const inflight = 'attempt.settled_at IS NULL AND attempt.bytes IS NOT NULL';
const gone = () => new StoreError('unavailable', 'The database is unavailable.');

describeStores('a failing database statement', (open) => {
  afterEach(stopEngines);

  test('a statement that fails during a lane takeover does not lose signed transactions', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const first = await startEngine({ store, ledger });
    const wallet = await first.wallet();
    ledger.autoMine = false;
    const id = await first.send(wallet);
    await first.engine.stop();
    const late = Promise.withResolvers<void>();
    let isFirst = true;
    const second = await startEngine({
      store: withReadHook(store, async (sql) => {
        if (!isFirst || !sql.includes(inflight)) return;
        isFirst = false;
        await late.promise;
        throw gone();
      }),
      ledger,
      timing: { start: 20, lease: 900 },
    });
    // The server holds the leases, and is still reading the signed transactions of these shards.
    await second.engine.track(await second.opened());
    await vi.waitFor(() => expect(isFirst).toBe(false), { timeout: 30_000 });
    late.resolve();
    ledger.autoMine = true;
    ledger.mine();
    const [end] = await second.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
  }, 30_000);

  test('a failing statement for the lanes of one chain does not block other chains', async () => {
    const side = createMemoryLedger();
    side.reset();
    const store = await open();
    let poisoned: string | undefined;
    const harness = await startEngine({
      store: {
        ...store,
        transaction: (work) =>
          store.transaction((tx) => {
            const run: Tx['run'] = (sql, params) => {
              if (sql.includes('INTO lane_server') && params?.[0] === poisoned) throw gone();
              return tx.run(sql, params);
            };
            return work(Object.create(tx, { run: { value: run } }));
          }),
      },
      others: new Map([['side', memoryAdapter(side, { name: 'side', technology: 'ethereum' })]]),
      timing: { lease: 600 },
    });
    const from = await harness.wallet();
    side.fund(from.address, 10n ** 18n);
    await harness.ended([await harness.send(from)]);
    await harness.ended([await harness.send(from, undefined, { ledgerUid: 'side' })]);
    const expiries = async () => {
      const rows = await store.read.all<{ chain: string; until: number }>(
        'SELECT chain, MIN(expires_at) AS until FROM lane GROUP BY chain',
      );
      return new Map(rows.map(({ chain, until }) => [chain, until]));
    };
    const { chain } = await harness.engine.track(await harness.opened());
    const [other = ''] = [...(await expiries()).keys()].filter((one) => one !== chain);
    poisoned = chain;
    const failed = () => harness.log.filter((line) => line.includes('lanes.renew')).length;
    await vi.waitFor(() => expect(failed()).toBeGreaterThan(0), { timeout: 30_000 });
    const before = await expiries();
    await vi.waitFor(() => expect(failed()).toBeGreaterThan(2), { timeout: 30_000 });
    expect((await expiries()).get(other)).toBeGreaterThan(before.get(other) ?? 0);
  }, 60_000);
});

describeStores('stopping an engine', (open) => {
  afterEach(stopEngines);

  test('stopping the engine waits for ledgers that are being opened', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const first = await startEngine({ store, ledger });
    ledger.autoMine = false;
    await first.send(await first.wallet());
    await first.engine.stop();
    const late = Promise.withResolvers<void>();
    const plain = memoryAdapter(ledger, { technology: 'ethereum' });
    let opened: LedgerSession | undefined;
    const adapter: AdapterDefinition = {
      ...plain,
      async open(...given) {
        // This takes longer than releasing the leases, so the engine would stop first if it did not wait.
        for (let times = 0; times < 50; times += 1) await store.transaction((tx) => tx.run('SELECT 1', []));
        opened = await plain.open(...given);
        return opened;
      },
    };
    const second = await startEngine({
      store: withReadHook(store, async (sql) => {
        if (sql.includes('GROUP BY chain, ledger_uid, plugin')) await late.promise;
      }),
      adapter,
      timing: { start: 20 },
    });
    const stopping = second.engine.stop();
    late.resolve();
    await stopping;
    expect(opened).toBeDefined();
  }, 30_000);
});
