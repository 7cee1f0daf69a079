// Tests for the limits on stored contract events.
import { type ContractEvent, type ContractEventsRequest, longestContent } from '@ledger-ops/adapter';
import { systemUid } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { pruneEvents } from '../src/contract-events/event-rows.ts';
import { bytesOfRows, mostPageBytes } from '../src/contract-events/event-size.ts';
import { OpenLedger } from '../src/open-ledger.ts';
import { subscribe } from './contract-event-crash.ts';
import { stopEngines } from './engine-harness.ts';

const wait = 30_000;

describeStores('limits of stored contract events', (open) => {
  afterEach(stopEngines);

  /** Reads the events of a node that reports one event per block, of `bytesOf(height)` bytes. */
  async function readFrom(
    store: Store,
    blocks: number,
    bytesOf: (height: number) => number,
    now = () => store.now(),
  ) {
    const { read, opened } = await subscribe(store);
    const limits: number[] = [];
    const contractEvents = ({ after, limit }: ContractEventsRequest) => {
      limits.push(limit);
      const first = (after?.height ?? 0) + 1;
      const last = Math.min(blocks, first + limit - 1);
      const events: ContractEvent[] = [];
      for (let height = first; height <= last; height += 1) {
        const place = { height, blockHash: `block ${height}`, txId: `tx ${height}` };
        events.push({ id: `${height}`, ...place, raw: { data: 'x'.repeat(bytesOf(height)) } });
      }
      return Promise.resolve({
        ...{ events, newest: blocks, more: last < blocks },
        after: { height: Math.max(last, after?.height ?? 0), hash: 'hash' },
      });
    };
    const reader = read(
      Object.create(store, { now: { value: now } }),
      () => undefined,
      async () => {
        const one = await opened();
        return new OpenLedger({ ...one, session: { ...one.session, contractEvents } });
      },
    );
    return { reader, limits };
  }

  const stored = (store: Store) =>
    store.read.all<{ event_id: string; data: string }>('SELECT event_id, data FROM contract_event');
  const usage = async (store: Store) => {
    const rows = await store.read.all<{ name: string; amount: number }>(
      `SELECT name, amount FROM storage_usage WHERE name LIKE '%event-bytes'`,
    );
    return Object.fromEntries(rows.map(({ name, amount }) => [name, Number(amount)]));
  };
  const setLimit = (store: Store, name: string, most: number) =>
    store.transaction((tx) =>
      tx.run(
        `INSERT INTO storage_limit (scope, name, most, updated_by, updated_at) VALUES ($1, $2, $3, '', 0)
          ON CONFLICT (scope, name) DO UPDATE SET most = excluded.most`,
        [systemUid, name, most],
      ),
    );

  test('a page of contract events that is too large is read again in smaller pages, without losing events', async () => {
    const store = await open();
    const { reader, limits } = await readFrom(store, 60, () => 50_000);
    await vi.waitFor(async () => expect(await stored(store)).toHaveLength(60), wait);
    await reader.stop();
    expect(limits[0]).toBe(200);
    expect((limits[1] ?? 0) * 50_000).toBeLessThan(mostPageBytes);
    const rows = await stored(store);
    const bytes = rows.reduce((sum, { data }) => sum + Buffer.byteLength(data) + bytesOfRows, 0);
    expect(await usage(store)).toEqual({
      ...{ 'event-bytes': bytes, 'project-event-bytes': bytes, 'subscription-event-bytes': bytes },
    });
    // Removed events are no longer counted.
    expect(await store.transaction((tx) => pruneEvents(tx, Number.MAX_SAFE_INTEGER))).toBe(false);
    expect(await stored(store)).toHaveLength(0);
    expect(await usage(store)).toEqual({});
  });

  test('omits the content of a contract event that is too large, and marks the event', async () => {
    const store = await open();
    const sizes = [2 * longestContent, 10, longestContent - 50];
    const { reader } = await readFrom(store, sizes.length, (height) => sizes[height - 1] ?? 0);
    await vi.waitFor(async () => expect(await stored(store)).toHaveLength(sizes.length), wait);
    await reader.stop();
    const [large, small, longest] = (await stored(store)).map(({ data }) => JSON.parse(data));
    expect(large).toMatchObject({ raw: {}, args: null, contentOmitted: true, transactionId: 'tx 1' });
    expect(small).toMatchObject({ raw: { data: 'xxxxxxxxxx' } });
    expect(small).not.toHaveProperty('contentOmitted');
    expect(longest).not.toHaveProperty('contentOmitted');
  });

  test.each(['subscription-event-bytes', 'project-event-bytes', 'event-bytes'])(
    'a subscription waits at the limit %s, reports the limit, and continues without a gap when the limit is raised',
    async (limit) => {
      const store = await open();
      await setLimit(store, limit, 100_000);
      const { reader } = await readFrom(store, 300, () => 400);
      await vi.waitFor(async () => {
        const [row] = await store.read.all('SELECT status, error FROM contract_subscription');
        expect(row).toMatchObject({ status: 'ACTIVE', error: expect.stringContaining(`"${limit}"`) });
      }, wait);
      expect(Object.values(await usage(store)).every((bytes) => bytes <= 100_000)).toBe(true);
      await setLimit(store, limit, 1_000_000);
      await vi.waitFor(async () => expect(await stored(store)).toHaveLength(300), wait);
      await vi.waitFor(async () => {
        expect(await store.read.all('SELECT error FROM contract_subscription')).toEqual([{ error: null }]);
      }, wait);
      await reader.stop();
    },
  );

  test('reads a page that exceeds the remaining storage once, and continues in smaller pages when the first event fits', async () => {
    const store = await open();
    await setLimit(store, 'event-bytes', 400);
    const { reader, limits } = await readFrom(store, 8, () => 400);
    const failures = async () => {
      const [row] = await store.read.all<{ failures: number }>('SELECT failures FROM contract_subscription');
      return row?.failures ?? 0;
    };
    await vi.waitFor(async () => expect(await failures()).toBeGreaterThan(3), wait);
    expect(limits).toHaveLength(1);
    // Only half of the events fit.
    await setLimit(store, 'event-bytes', 3_500 + 5 * bytesOfRows);
    await vi.waitFor(async () => expect((await stored(store)).length).toBeGreaterThan(2), wait);
    const before = await failures();
    await vi.waitFor(async () => expect(await failures()).toBeGreaterThan(before + 3), wait);
    const reads = limits.length;
    await vi.waitFor(async () => expect(await failures()).toBeGreaterThan(before + 6), wait);
    expect(limits).toHaveLength(reads);
    await setLimit(store, 'event-bytes', 1_000_000);
    await vi.waitFor(async () => expect(await stored(store)).toHaveLength(8), wait);
    expect((await stored(store)).map(({ event_id }) => event_id).toSorted()).toEqual(
      Array.from({ length: 8 }, (_, index) => `${index + 1}`),
    );
    await reader.stop();
  });

  test('does not query the ledger for events that cannot be stored', async () => {
    const store = await open();
    await setLimit(store, 'event-bytes', 0);
    const { reader, limits } = await readFrom(store, 3, () => 400);
    await vi.waitFor(async () => {
      const [row] = await store.read.all<{ failures: number }>('SELECT failures FROM contract_subscription');
      expect(row?.failures).toBeGreaterThan(2);
    }, wait);
    expect(limits).toHaveLength(1);
    await setLimit(store, 'event-bytes', 1_000_000);
    await vi.waitFor(async () => expect(await stored(store)).toHaveLength(3), wait);
    await reader.stop();
  });

  test('limits the reading of many small contract events by the size of the rows that they create', async () => {
    const store = await open();
    const at = await store.now();
    let requests: readonly number[] = [];
    let last = 0;
    let pauses = 0;
    // The clock stands still, so the organization can only use up its burst. The reader reads the clock for each page.
    const { reader, limits } = await readFrom(
      store,
      30_000,
      () => 0,
      async () => {
        pauses = requests.length === last ? pauses + 1 : 0;
        last = requests.length;
        return at;
      },
    );
    requests = limits;
    await vi.waitFor(() => expect(pauses).toBeGreaterThan(20), wait);
    await reader.stop();
    const burst = 16 * 1_048_576;
    const count = (await stored(store)).length;
    expect(count).toBeGreaterThan(5_000);
    expect(count).toBeLessThan(burst / bytesOfRows);
  });
});
