import type { LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { Store, Tx } from '@ledger-ops/store';
import { describePostgres } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { chainBase, shardOf } from '../src/rows/chains/chain-key.ts';
import { storeReset } from '../src/rows/chains/chains.ts';
import { type EngineHarness, startEngine, stopEngines, transfer } from './engine-harness.ts';

describePostgres('several servers on one database', (open, { locate }) => {
  afterEach(stopEngines);

  async function startTwo(): Promise<[EngineHarness, EngineHarness]> {
    const database = await locate();
    const ledger = createMemoryLedger();
    const properties = { max_in_flight: 1_000 };
    const options = { ledger, properties, timing: { lease: 900 } };
    const first = await startEngine({ store: await open(database), ...options });
    const wallet = await first.wallet();
    await first.ended([await first.send(wallet)]);
    const second = await startEngine({ store: await open(database), ...options });
    return [first, second];
  }

  async function owners(harness: EngineHarness): Promise<Set<string>> {
    const rows = await harness.store.read.all<{ owner: string }>('SELECT DISTINCT owner FROM lane');
    return new Set(rows.map(({ owner }) => owner));
  }

  test('several servers share the lanes, and every accepted action is executed exactly once', async () => {
    const [first, second] = await startTwo();
    const wallets = await Promise.all(Array.from({ length: 6 }, () => first.wallet()));
    const target = await first.wallet(0n);
    await second.send(wallets[0] ?? target);
    await vi.waitFor(async () => expect((await owners(first)).size).toBe(2), { timeout: 30_000 });
    const ids = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        (index % 2 === 0 ? first : second).send(wallets[index % 6] ?? target, transfer(target.address, 3n)),
      ),
    );
    const ends = await first.ended(ids);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(first.ledger.balanceOf(target.address)).toBe(360n);
    expect(new Set(ends.map(({ locator }) => locator)).size).toBe(120);
  });

  test('on a ledger without nonces, transactions of another server are not treated as unknown, even after a takeover', async () => {
    const database = await locate();
    const ledger = createMemoryLedger({ sequence: 'none' });
    const options = { ledger, timing: { lease: 900, compareAgain: 0 } };
    const first = await startEngine({ store: await open(database), ...options });
    const second = await startEngine({ store: await open(database), ...options });
    const wallets = await Promise.all(Array.from({ length: 6 }, () => first.wallet()));
    const send = (by: EngineHarness) => Promise.all(wallets.map((from) => by.send(from)));
    const ids: string[] = [];
    for (let round = 0; round < 10; round += 1) ids.push(...(await send(first)), ...(await send(second)));
    await first.ended(ids);
    await first.engine.stop();
    const ends = await second.ended(await send(second));
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(await second.store.read.all('SELECT id FROM suspension')).toEqual([]);
  });

  test('a server starts while a transaction holds the lane locks, accepts actions, and acquires its lanes later', async () => {
    const database = await locate();
    const ledger = createMemoryLedger();
    const options = { ledger, timing: { start: 50 } };
    const first = await startEngine({ store: await open(database), ...options });
    const wallets = await Promise.all(Array.from({ length: 6 }, () => first.wallet()));
    ledger.autoMine = false;
    const pending = await Promise.all(wallets.map((wallet) => first.send(wallet)));

    const recovering = await open(database);
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const busy = recovering.transaction(async (tx) => {
      await tx.all('SELECT shard FROM lane FOR SHARE');
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const second = await startEngine({ store: await open(database), ...options });
    const accepted = await Promise.all(wallets.map((wallet) => second.send(wallet)));
    expect((await owners(first)).size).toBe(1);
    released.resolve();
    await busy;
    ledger.autoMine = true;
    ledger.mine();
    const ends = await second.ended([...pending, ...accepted]);
    expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    await vi.waitFor(async () => expect((await owners(first)).size).toBe(2), { timeout: 30_000 });
  });

  test('when one server stops, another server continues its lanes', async () => {
    const [first, second] = await startTwo();
    const wallets = await Promise.all(Array.from({ length: 6 }, () => first.wallet()));
    for (const wallet of wallets) await second.send(wallet);
    await vi.waitFor(async () => expect((await owners(first)).size).toBe(2), { timeout: 30_000 });
    await second.engine.stop();
    const ids = await Promise.all(wallets.map((wallet) => first.send(wallet)));
    const ends = await first.ended(ids);
    expect(ends.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
  });

  test('when one server gives up a chain, all servers give it up and send nothing more to it', async () => {
    const [first, second] = await startTwo();
    const { ledger } = first;
    const wallet = await first.wallet();
    ledger.autoMine = false;
    const id = await second.send(wallet);
    await vi.waitFor(() => expect(ledger.pool.length).toBe(1), { timeout: 30_000 });
    const base = chainBase(ledger.identity);
    await first.store.transaction((tx) => storeReset(tx, base, 0));
    const [end] = await second.ended([id]);
    expect(end?.problem).toContain('chain-reset');
    const chainOf = async (actionId: string) => {
      const [row] = await first.store.read.all('SELECT chain FROM action WHERE id = $1', [actionId]);
      return row?.chain;
    };
    const other = await first.wallet();
    for (const server of [first, second]) {
      await vi.waitFor(async () => expect(await chainOf(await server.send(other))).toBe(`${base}/1`), {
        timeout: 30_000,
      });
    }
    ledger.forgetPool();
    const sent = ledger.submissions.length;
    ledger.autoMine = true;
    const ends = await first.ended([await first.send(wallet), await second.send(wallet)]);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    const later = ledger.submissions.slice(sent);
    const ofWallet = later.filter(({ transaction }) => transaction?.from === wallet.address.toLowerCase());
    expect(new Set(ofWallet.map(({ txId }) => txId)).size).toBe(2);
  });

  test.each([false, true])(
    'an action id that another server stores at the same moment is rejected as a conflict (unsigned: %s)',
    async (unsigned) => {
      const database = await locate();
      const ledger = createMemoryLedger();
      const store = await open(database);
      // The second server checks the id just before the first server stores it.
      const early: Store = {
        ...store,
        transaction: (work) =>
          store.transaction((tx) => {
            const all: Tx['all'] = (text, parameters) =>
              text.includes('given_id') && text.startsWith('SELECT')
                ? Promise.resolve([])
                : tx.all(text, parameters);
            return work(Object.assign(Object.create(tx), { all }));
          }),
      };
      const first = await startEngine({ store: await open(database), ledger });
      const second = await startEngine({ store: early, ledger });
      const wallet = await first.wallet();
      await first.send(wallet, undefined, { actionId: 'chosen', unsigned });
      const refused = {
        problem: 'already-exists',
        message: 'An action with the id chosen already exists.',
      };
      await expect(second.send(wallet, undefined, { actionId: 'chosen', unsigned })).rejects.toMatchObject(
        refused,
      );
      // Only the conflicting action of a batch is rejected; the others are stored.
      const sent = await Promise.allSettled(
        ['other', 'chosen', 'third'].map((actionId) =>
          second.send(wallet, undefined, { actionId, unsigned }),
        ),
      );
      expect(sent.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(sent[1]).toMatchObject({ reason: refused });
    },
  );
  test('a server that takes over its lane again resends final transactions that a reorg removed in the meantime', async () => {
    const harness = await startEngine({ store: await open(), timing: { lease: 900 } });
    const { ledger, store } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    let other = await harness.wallet();
    while (shardOf(other.address) === shardOf(from.address)) other = await harness.wallet();
    await harness.ended(
      await Promise.all(Array.from({ length: 9 }, () => harness.send(from, transfer(to.address, 2n)))),
    );
    const take = (owner: string, until: number) =>
      store.transaction((tx) =>
        tx.run('UPDATE lane SET owner = $1, epoch = epoch + 1, expires_at = $2 WHERE shard = $3', [
          owner,
          until,
          shardOf(from.address),
        ]),
      );
    const told = (event: string) => harness.log.filter((line) => line.includes(event)).length;
    await take('other', Date.now() + 3_600_000);
    await vi.waitFor(() => expect(told('lanes.lost')).toBe(1), { timeout: 30_000 });
    const { height } = ledger.head;
    ledger.reorganise(height, 'vanish');
    ledger.mine(height + 1);
    await vi.waitFor(() => expect(told('chain.reorganised')).toBe(1), { timeout: 30_000 });
    await harness.ended([await harness.send(other)]);
    expect(ledger.balanceOf(to.address)).toBe(0n);
    await take('other', 0);
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(18n), { timeout: 30_000 });
    expect(ledger.nonceOf(from.address)).toBe(9n);
  });

  test('if a lane changes owners while its actions are being signed, the former server gives them up', async () => {
    const ledger = createMemoryLedger();
    const adapter = memoryAdapter(ledger, { technology: 'ethereum' });
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const harness = await startEngine({
      store: await open(),
      ledger,
      adapter: {
        ...adapter,
        async open(...given) {
          const session = await adapter.open(...given);
          const estimate: LedgerSession['estimate'] = async (requests) => {
            asked.resolve();
            await answer.promise;
            return session.estimate(requests);
          };
          return { ...session, estimate };
        },
      },
      timing: { lease: 900 },
    });
    const { store } = harness;
    const from = await harness.wallet();
    let other = await harness.wallet();
    while (shardOf(other.address) === shardOf(from.address)) other = await harness.wallet();
    ledger.autoMine = false;
    await harness.send(from, undefined, { unsigned: true });
    await asked.promise;
    const take = (owner: string, until: number) =>
      store.transaction((tx) =>
        tx.run('UPDATE lane SET owner = $1, epoch = epoch + 1, expires_at = $2 WHERE shard = $3', [
          owner,
          until,
          shardOf(from.address),
        ]),
      );
    await take('gone', 0);
    await vi.waitFor(async () => expect(await owners(harness)).not.toContain('gone'), { timeout: 30_000 });
    answer.resolve();
    await vi.waitFor(() => expect(ledger.pool.length).toBe(1), { timeout: 30_000 });
    await take('other', Date.now() + 3_600_000);
    const losses = () => harness.log.filter((line) => line.includes('lanes.lost'));
    await vi.waitFor(() => expect(losses()).toHaveLength(2), { timeout: 30_000 });
    ledger.autoMine = true;
    const [end] = await harness.ended([await harness.send(other)]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(harness.engine.health()).toEqual([]);
  });
});
