// Tests how an engine reacts to promotions of a standby. The server's test `failover.faults.test.ts` promotes real
// standbys.
import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Replication, Store, Tx } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test } from 'vitest';
import { type EngineHarness, startEngine, stopEngines } from './engine-harness.ts';

type Mode = Awaited<ReturnType<Replication['read']>>;

/** A replicated database with a ledger, and the promotion of its standby. */
interface Replicated {
  store: Store;
  promote(): Promise<void>;
  /** Returns the reasons of all suspensions. */
  reasons(): Promise<string[]>;
}

async function replicate(opened: Store): Promise<(mode: Mode) => Replicated> {
  await opened.transaction((tx) =>
    tx.insertMany(
      'ledger',
      [
        ...['uid', 'id', 'ledger_id', 'scope', 'name', 'type', 'featured', 'technology'],
        ...['active', 'properties', 'revision', 'created_at', 'updated_at'],
      ],
      [['ledger', 1, 'main', 'system', 'Main', 'ethereum', false, 'ethereum', true, '{}', 1, 0, 0]],
    ),
  );
  return (mode) => {
    let check: (tx: Tx) => Promise<void> = async () => undefined;
    const replication: Replication = {
      read: async () => mode,
      onPromotion(next) {
        check = next;
      },
    };
    return {
      store: { ...opened, replication },
      promote: () => opened.transaction((tx) => check(tx)),
      async reasons() {
        const rows = await opened.read.all<{ reason: string }>('SELECT reason FROM suspension');
        return rows.map(({ reason }) => reason);
      },
    };
  };
}

/** @param now the server's clock */
const start = (store: Store, now = Date.now): Promise<EngineHarness> =>
  startEngine({ store, ledger: createMemoryLedger({ autoMine: false }), now });

describeStores('a promoted standby', (open) => {
  afterEach(stopEngines);

  test('promoting a synchronous standby that has every stored action suspends nothing', async () => {
    const { store, promote, reasons } = (await replicate(await open()))({ timeline: 1, isSynchronous: true });
    const { send, wallet } = await start(store);
    await send(await wallet());
    await promote();
    expect(await reasons()).toEqual([]);
  });

  test.each([
    ['an accepted action', ['attempt', 'action']],
    ['the signed bytes of an action', ['attempt']],
  ])('promoting a standby that lost %s suspends the ledgers and names the action', async (_, tables) => {
    const { store, promote, reasons } = (await replicate(await open()))({ timeline: 1, isSynchronous: true });
    const { send, wallet } = await start(store);
    const id = await send(await wallet());
    for (const table of tables) await store.transaction((tx) => tx.run(`DELETE FROM ${table}`, []));
    await promote();
    expect(await reasons()).toEqual([expect.stringContaining(`missing or unsigned (${id})`)]);
  });

  test('an action that retention removed is not reported as lost', async () => {
    const { store, promote, reasons } = (await replicate(await open()))({ timeline: 1, isSynchronous: true });
    let later = 0;
    const { send, wallet } = await start(store, () => Date.now() + later);
    await send(await wallet());
    await store.transaction((tx) => tx.run('DELETE FROM action', []));
    later = 7 * 86_400_000;
    await promote();
    expect(await reasons()).toEqual([]);
  });

  test('promoting an asynchronous standby suspends the ledgers, even if no action is known to be missing', async () => {
    const { store, promote, reasons } = (await replicate(await open()))({
      timeline: 1,
      isSynchronous: false,
    });
    await start(store);
    await promote();
    expect(await reasons()).toEqual([expect.stringContaining('It may lack some of the last commits.')]);
  });

  test.each([
    ['suspends the ledgers if replication was asynchronous', false, 1],
    ['suspends nothing if replication was synchronous', true, 0],
  ])('a server that starts after a promotion %s', async (_, isSynchronous, count) => {
    const of = await replicate(await open());
    const { store, reasons } = of({ timeline: 1, isSynchronous });
    await start(store);
    await stopEngines();
    expect(await reasons()).toEqual([]);
    await start(of({ timeline: 2, isSynchronous }).store);
    expect(await reasons()).toHaveLength(count);
  });
});
