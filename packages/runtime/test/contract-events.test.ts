// Readings of a contract's events that fail, and chains that are others than before.
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { readSubscriptionState, updateSubscription } from '../src/contract-events/rows.ts';
import { subscribe } from './contract-event-crash.ts';
import { stopEngines } from './engine-harness.ts';

describeStores('a subscription to a contract', (open) => {
  afterEach(stopEngines);

  test('waits for a ledger that is down, says so, and stops for good where the ledger has begun anew', async () => {
    const store = await open();
    const { ledger, read, set } = await subscribe(store);
    await set('before');
    const stateIs = (state: object) =>
      vi.waitFor(async () => {
        const [row] = await store.read.all('SELECT * FROM contract_subscription');
        expect(row).toMatchObject(state);
      }, 30_000);
    const told = async () => (await store.read.all('SELECT uid FROM contract_event')).length;

    ledger.goDown();
    const reader = read(store, () => undefined);
    await stateIs({
      ...{ status: 'ACTIVE', failing_since: expect.any(Number) },
      error: expect.stringContaining('cannot be reached'),
    });
    expect(await told()).toBe(0);
    ledger.comeUp();
    await stateIs({
      status: 'ACTIVE',
      failing_since: null,
      error: null,
      failures: 0,
      height: ledger.head.height,
    });
    expect(await told()).toBe(1);

    ledger.reset();
    ledger.mine(ledger.head.height + 10);
    await stateIs({ status: 'STOPPED', reason: expect.stringContaining('has begun anew') });
    expect(await told()).toBe(1);
    await reader.stop();
  });

  test('stops where the ledger has taken back what was told', async () => {
    const store = await open();
    const { ledger, read, set } = await subscribe(store);
    await set('taken back');
    const reader = read(store, () => undefined);
    await vi.waitFor(async () => {
      expect(await store.read.all('SELECT uid FROM contract_event')).toHaveLength(1);
    }, 30_000);
    ledger.autoMine = false;
    ledger.reorganise(1, 'vanish');
    ledger.mine(2);
    await vi.waitFor(async () => {
      const [row] = await store.read.all('SELECT status, reason FROM contract_subscription');
      expect(row).toMatchObject({ status: 'STOPPED', reason: expect.stringContaining('may be undone') });
    }, 30_000);
    await reader.stop();
  });

  test.each([
    ['paused', { status: 'PAUSED' }, []],
    ['asked for other events', { events: '["Other"]' }, []],
    ['left alone', {}, ['ValueSet']],
  ] as const)('tells of a page that is under way what it is to tell then: %s', async (_, change, names) => {
    const store = await open();
    const { ledger, read, set, opened } = await subscribe(store);
    await set('while it is read');
    const reached = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    const reader = read(
      store,
      () => undefined,
      async () => {
        const one = await opened();
        const { session } = one;
        return {
          ...one,
          session: {
            ...session,
            async contractEvents(request) {
              const page = await session.contractEvents?.(request);
              reached.resolve();
              await changed.promise;
              if (page === undefined) throw new Error('the ledger in memory reads events');
              return page;
            },
          },
        };
      },
    );
    await reached.promise;
    const view = await store.transaction((tx) => updateSubscription(tx, 'subscription', change));
    expect(view).toMatchObject(change);
    changed.resolve();
    const isThere = async () => {
      const [row] = await store.read.all<{ height: number; status: string }>(
        'SELECT height, status FROM contract_subscription',
      );
      return row?.status === 'PAUSED' || row?.height === ledger.head.height;
    };
    await vi.waitFor(async () => expect(await isThere()).toBe(true), 30_000);
    await reader.stop();
    const told = await store.read.all<{ data: string }>('SELECT data FROM contract_event');
    expect(told.map(({ data }) => JSON.parse(data).name)).toEqual(names);
  });

  test('is late for as long as it does not come to the newest block, by ledger; paused, it is not', async () => {
    const store = await open();
    const { ledger, read, set } = await subscribe(store);
    await set('first');
    const state = async () => readSubscriptionState(store.read, await store.now());
    expect(await state()).toEqual([
      { ledgerId: 'ledger', status: 'active', count: 1, behind: 0, since: null },
    ]);
    ledger.goDown();
    const reader = read(store, () => undefined);
    await vi.waitFor(
      async () => expect(await state()).toMatchObject([{ since: expect.any(Number) }]),
      30_000,
    );
    ledger.comeUp();
    await vi.waitFor(async () => expect(await state()).toMatchObject([{ since: null, behind: 0 }]), 30_000);
    ledger.goDown();
    await vi.waitFor(
      async () => expect(await state()).toMatchObject([{ since: expect.any(Number) }]),
      30_000,
    );
    await store.transaction((tx) => updateSubscription(tx, 'subscription', { status: 'PAUSED' }));
    await reader.stop();
    expect(await state()).toEqual([
      { ledgerId: 'ledger', status: 'paused', count: 1, behind: 0, since: null },
    ]);
  });
});
