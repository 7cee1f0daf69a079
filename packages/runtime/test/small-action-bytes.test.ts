import { randomUUID } from 'node:crypto';
import type { ResolvedOperation } from '@ledger-ops/adapter';
import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { SmallActionBytes } from '../src/rows/actions/small-action-bytes.ts';
import type { NewAction } from '../src/rows/model.ts';
import { startEngine, stopEngines, transfer } from './engine-harness.ts';

const texts = {
  operation: 'o'.repeat(400),
  overrides: null,
  plan: 'p'.repeat(100),
  context: null,
  privateBytes: 0,
};
const each = 500;

const action = (organizationUid: string, more: Partial<NewAction> = {}): NewAction => ({
  ...{ id: randomUUID(), givenId: null, trace: null, organizationUid, projectId: 'project', appId: 'app' },
  ...{ caller: 'caller', walletUid: 'wallet', walletId: 'wallet', ledgerUid: 'ledger', ledgerId: 'ledger' },
  ...{ chain: 'chain', shard: 0, address: '0x1', intent: '', tag: null, plugin: 'ethereum', cost: 1n },
  ...{ sequence: null, deadline: 0, createdAt: 0, dependencies: [], receivers: [], registration: null },
  ...{ claim: null, request: null, ...texts, ...more },
});

async function usage(store: Store): Promise<Record<string, number>> {
  const rows = await store.read.all<{ scope: string; amount: number }>(
    "SELECT scope, amount FROM storage_usage WHERE name = 'action-bytes'",
  );
  return Object.fromEntries(rows.map(({ scope, amount }) => [scope, Number(amount)]));
}

async function setLimit(store: Store, organization: string, most: number): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.run('DELETE FROM storage_limit WHERE scope = $1', [organization]);
    await tx.insertMany(
      'storage_limit',
      ['scope', 'name', 'most', 'updated_by', 'updated_at'],
      [[organization, 'action-bytes', most, '', 0]],
    );
  });
}

/** Returns a store that counts its statements, and whose transactions can be made to fail. */
function watched(store: Store) {
  const seen = { reads: 0, transactions: 0, isFailing: false };
  const all: Store['read']['all'] = (text, values) => {
    seen.reads += 1;
    return store.read.all(text, values);
  };
  const transaction: Store['transaction'] = (work) => {
    seen.transactions += 1;
    return seen.isFailing ? Promise.reject(new Error('no database')) : store.transaction(work);
  };
  return { seen, store: { ...store, read: { ...store.read, all }, transaction } };
}

const refused = { problem: 'storage-limit', extensions: { limit: 'action-bytes' } };

describeDialects('bytes of small actions', (open) => {
  afterEach(stopEngines);

  test('the bytes of small actions are added up in memory, and written as one sum per organization', async () => {
    const store = await open();
    const { seen, store: spied } = watched(store);
    const bytes = new SmallActionBytes(spied, () => 0);
    for (let sent = 0; sent < 50; sent += 1) {
      await bytes.demand('one', texts);
      bytes.add([action('one'), action('other')]);
    }
    expect(await usage(store)).toEqual({});
    // Only two reads happened: of the organization's count, and of its limits.
    expect(seen).toMatchObject({ reads: 2, transactions: 0 });
    await bytes.write();
    await bytes.write();
    expect(seen.transactions).toBe(1);
    expect(await usage(store)).toEqual({ one: 50 * each, other: 50 * each });
  });

  test('the bytes of a context are counted only for small actions', async () => {
    const store = await open();
    const bytes = new SmallActionBytes(store, () => 0);
    bytes.add([
      action('one', { context: 'c'.repeat(1_000) }),
      action('large', { context: 'c'.repeat(4_000) }),
    ]);
    await bytes.write();
    expect(await usage(store)).toEqual({ one: each + 1_000 });
  });

  test("the sums of several servers are added up, and each server notices the others' sums", async () => {
    const store = await open();
    let now = 0;
    const [one, other] = [new SmallActionBytes(store, () => now), new SmallActionBytes(store, () => now)];
    await setLimit(store, 'one', 10 * each);
    for (let sent = 0; sent < 5; sent += 1) {
      for (const server of [one, other]) {
        await server.demand('one', texts);
        server.add([action('one')]);
      }
    }
    await Promise.all([one.write(), other.write()]);
    expect(await usage(store)).toEqual({ one: 10 * each });
    // A server that accepts no actions reads the count again only after this time.
    now += 10_000;
    for (const server of [one, other])
      await expect(server.demand('one', texts)).rejects.toMatchObject(refused);
  });

  test('rejects an action that exceeds the storage limit, even before the sum is written', async () => {
    const store = await open();
    const bytes = new SmallActionBytes(store, () => 0);
    await setLimit(store, 'one', 3 * each);
    for (let sent = 0; sent < 3; sent += 1) {
      await bytes.demand('one', texts);
      bytes.add([action('one')]);
    }
    await expect(bytes.demand('one', texts)).rejects.toMatchObject({
      ...refused,
      extensions: { used: 3 * each, most: 3 * each },
    });
    await bytes.demand('other', texts);
    // The early check of a large action also rejects it.
    await expect(bytes.demand('one', { ...texts, plan: 'p'.repeat(5_000) })).rejects.toMatchObject(refused);
  });

  test('before rejecting an action, reads the storage limit again, but at most once a second', async () => {
    const store = await open();
    let now = 0;
    const { seen, store: spied } = watched(store);
    const bytes = new SmallActionBytes(spied, () => now);
    await setLimit(store, 'one', 0);
    await expect(bytes.demand('one', texts)).rejects.toMatchObject(refused);
    await setLimit(store, 'one', each);
    await expect(bytes.demand('one', texts)).rejects.toMatchObject(refused);
    now += 1_000;
    await bytes.demand('one', texts);
    const before = seen.reads;
    await bytes.demand('one', texts);
    expect(seen.reads).toBe(before);
  });

  test('the sum is kept if writing it fails, and bytes added during a write are counted', async () => {
    const store = await open();
    const { seen, store: spied } = watched(store);
    const bytes = new SmallActionBytes(spied, () => 0);
    bytes.add([action('one')]);
    seen.isFailing = true;
    await expect(bytes.write()).rejects.toThrow('no database');
    seen.isFailing = false;
    const writing = bytes.write();
    bytes.add([action('one')]);
    await writing;
    expect(await usage(store)).toEqual({ one: each });
    await bytes.write();
    expect(await usage(store)).toEqual({ one: 2 * each });
  });

  test('an engine counts each signed or waiting action once, and writes the remaining sum when it stops', async () => {
    const store = await open();
    const { send, wallet, ended } = await startEngine({ store, timing: { writeActionBytes: 3_600_000 } });
    const from = await wallet();
    const ids = [await send(from), await send(from, undefined, { unsigned: true })];
    await ended(ids);
    expect(await usage(store)).toEqual({});
    await stopEngines();
    const [row] = await store.read.all<{ n: number; bytes: number }>(
      'SELECT COUNT(*) AS n, SUM(stored_bytes) AS bytes FROM action',
    );
    expect(Number(row?.n)).toBe(2);
    expect(await usage(store)).toEqual({ organization: Number(row?.bytes) });
  }, 60_000);

  test('private data counts toward the storage limit until its action completes, and large fields until it is removed', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ sequence: 'none', autoMine: false });
    const harness = await startEngine({ store, ledger, timing: { writeActionBytes: 20, prune: 20 } });
    const from = await harness.wallet();
    const confidential = (bytes: number): ResolvedOperation => ({
      ...transfer(from.address),
      native: { technology: 'ethereum', content: { transient: { data: 'x'.repeat(bytes) } } },
    });
    const used = async () => (await usage(store)).organization ?? 0;
    const ids = [await harness.send(from, confidential(100_000))];
    expect(await used()).toBeGreaterThan(100_000);
    expect(await used()).toBeLessThan(102_000);
    await setLimit(store, 'organization', 150_000);
    await expect(harness.send(from, confidential(100_000))).rejects.toMatchObject({
      problem: 'storage-limit',
    });
    ledger.autoMine = true;
    ledger.mine();
    await harness.ended(ids);
    await vi.waitFor(async () => expect(await used()).toBeLessThan(2_000), { timeout: 10_000 });
    ids.push(await harness.send(from, confidential(100_000)));
    await harness.ended(ids);
    await vi.waitFor(async () => expect(await used()).toBeLessThan(4_000), { timeout: 10_000 });
    const rows = await store.read.all<{ bytes: number }>('SELECT bytes FROM large_action');
    expect(await used()).toBe(rows.reduce((sum, { bytes }) => sum + Number(bytes), 0));
  }, 60_000);
});
