// Tests for failed reads of contract events, changed chains, and tenants whose subscriptions are read at the
// same time.
import { AdapterError } from '@ledger-ops/adapter';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import {
  insertSubscription,
  readSubscriptionState,
  type SubscriptionRow,
  updateSubscription,
} from '../src/contract-events/rows.ts';
import { cloudEventBody, eventBody } from '../src/events/event-body.ts';
import type { ContractEventData } from '../src/events/types.ts';
import { OpenLedger } from '../src/open-ledger.ts';
import { subscribe } from './contract-event-crash.ts';
import { stopEngines } from './engine-harness.ts';

function one<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new TypeError('Expected a row.');
  return row;
}

describeStores('a subscription to a contract', (open) => {
  afterEach(stopEngines);

  test('a subscription waits while its ledger is unreachable, reports this, and stops if the ledger was reset', async () => {
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
    await stateIs({ status: 'STOPPED', reason: expect.stringContaining('was reset') });
    expect(await told()).toBe(1);
    await reader.stop();
  });

  test('a subscription stops if a reorg removed events that were already delivered', async () => {
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
      expect(row).toMatchObject({
        status: 'STOPPED',
        reason: expect.stringContaining('may have been undone'),
      });
    }, 30_000);
    await reader.stop();
  });

  test.each([
    ['it is paused', { status: 'PAUSED' }, []],
    ['its events are changed', { events: '["Other"]' }, []],
    ['it is not changed', {}, ['ValueSet']],
  ] as const)(
    'stores a page of contract events only if the subscription did not change during the read: %s',
    async (_, change, names) => {
      const store = await open();
      const { ledger, read, set, opened } = await subscribe(store);
      await set('set during the read');
      const reached = Promise.withResolvers<void>();
      const changed = Promise.withResolvers<void>();
      const reader = read(
        store,
        () => undefined,
        async () => {
          const one = await opened();
          const { session } = one;
          return new OpenLedger({
            ...one,
            session: {
              ...session,
              async contractEvents(request) {
                const page = await session.contractEvents?.(request);
                reached.resolve();
                await changed.promise;
                if (page === undefined) throw new Error('Expected the memory ledger to read events.');
                return page;
              },
            },
          });
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
    },
  );

  test.each([8_640_000_000_000_001, 1_700_000_000_000_000])(
    'an event whose block time is not a date, such as %i, has no block time and can be delivered',
    async (time) => {
      const store = await open();
      const { read, set, opened } = await subscribe(store);
      await set('set at an odd time');
      const reader = read(
        store,
        () => undefined,
        async () => {
          const opening = await opened();
          const { session } = opening;
          return new OpenLedger({
            ...opening,
            session: {
              ...session,
              async contractEvents(request) {
                const page = await session.contractEvents?.(request);
                if (page === undefined) throw new Error('Expected the memory ledger to read events.');
                return { ...page, events: page.events.map((event) => ({ ...event, time })) };
              },
            },
          });
        },
      );
      const [stored] = await vi.waitFor(async () => {
        const rows = await store.read.all<{ data: string }>('SELECT data FROM contract_event');
        expect(rows).toHaveLength(1);
        return rows;
      }, 30_000);
      await reader.stop();
      const data = JSON.parse(stored?.data ?? '');
      expect(eventBody({ id: 'e1', type: 'contract.event', at: 1, data }).data).toMatchObject({
        ...{ name: 'ValueSet', blockTime: null },
      });
    },
  );

  test.each([8_640_000_000_000_001, 253_402_300_800_000])(
    'an event that is stored with the impossible block time %i can be delivered',
    (blockTime) => {
      const data: ContractEventData = {
        ...{ subscriptionId: 'subscription', projectId: 'project', contractId: 'token', ledgerId: 'chain' },
        ...{ contractAddress: '0xab', ledgerEventId: '1', name: null, args: null, raw: {} },
        ...{ transactionId: '1', blockHeight: 1, blockHash: '0xcd', blockTime },
      };
      const event = { id: 'e1', type: 'contract.event' as const, at: 1, data };
      expect(eventBody(event).data).toMatchObject({ contractId: 'token', blockTime: null });
      expect(cloudEventBody(event, 'https://ledger.test').data).toMatchObject({ blockTime: null });
    },
  );

  test('reads a subscription although all subscriptions of another project wait for a hanging ledger', async () => {
    const store = await open();
    const { read, set, opened } = await subscribe(store);
    const own = one(await store.read.all<SubscriptionRow>('SELECT * FROM contract_subscription'));
    await store.transaction(async (tx) => {
      const contract = {
        ...one(await tx.db.select().from(tx.t.contract)),
        uid: 'hostile',
        projectId: 'hostile',
      };
      await tx.db.insert(tx.t.contract).values({ ...contract, id: 2, contractId: 'hostile' });
      // The uids of these subscriptions sort first, so they are read first.
      for (let at = 0; at < 40; at += 1) {
        const of = { uid: `hostile-${at}`, project_id: 'hostile', contract_uid: 'hostile' };
        await insertSubscription(tx, { ...own, ...of });
      }
    });
    let hanging = 0;
    const reader = read(
      store,
      () => undefined,
      (_, { projectUid } = {}) => {
        if (projectUid !== 'hostile') return opened();
        hanging += 1;
        return new Promise(() => undefined);
      },
    );
    await vi.waitFor(() => expect(hanging).toBe(4), 30_000);
    await set('told');
    await vi.waitFor(async () => {
      expect(await store.read.all('SELECT uid FROM contract_event')).toHaveLength(1);
    }, 30_000);
    expect(hanging).toBe(4);
    await reader.stop();
  });

  test('a subscription does not send a new request to its ledger before the ledger has answered the previous one', async () => {
    const store = await open();
    const { read, set, opened } = await subscribe(store);
    await set('told');
    const first = Promise.withResolvers<never>();
    let requests = 0;
    const open_ = async () => {
      const ledger = await opened();
      const { session } = ledger;
      const contractEvents: typeof session.contractEvents = (request) => {
        requests += 1;
        return requests === 1
          ? first.promise
          : Promise.resolve(session.contractEvents?.(request) ?? first.promise);
      };
      return new OpenLedger({ ...ledger, session: { ...session, contractEvents } });
    };
    const reader = read(store, () => undefined, open_, { longest: 10 });
    await vi.waitFor(async () => {
      const [row] = await store.read.all('SELECT error FROM contract_subscription');
      expect(row).toMatchObject({ error: expect.stringContaining('did not respond') });
    }, 30_000);
    // Although the reader checks for due subscriptions every 5 ms and retries after at most 50 ms, it sends no second
    // request.
    await set('told, too');
    expect(requests).toBe(1);
    first.reject(new AdapterError({ code: 'timeout', detail: 'It was late.' }));
    await vi.waitFor(async () => {
      expect(await store.read.all('SELECT uid FROM contract_event')).toHaveLength(2);
    }, 30_000);
    await reader.stop();
  });

  test("only an active subscription is reported as late until it reaches its ledger's newest block", async () => {
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
