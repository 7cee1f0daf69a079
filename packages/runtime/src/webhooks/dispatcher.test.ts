import { createMasterKey } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import type { ServiceEvent } from '../events/types.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { addDeliveries, insertWebhook } from './rows.ts';
import { newSecret, sealSecret } from './secret.ts';
import { defaultWebhookTiming } from './timing.ts';

const masterKey = createMasterKey(new Uint8Array(32));
const timing = { ...defaultWebhookTiming, look: 5, again: { first: 5, longest: 5 } };

/** Adds a webhook that is due for one delivery. */
async function addWebhook(store: Store, uid: string, project: string): Promise<void> {
  const now = await store.now();
  await store.transaction(async (tx) => {
    await insertWebhook(tx, {
      ...{ uid, project_id: project, url: 'https://receiver.example/', description: null },
      ...{ types: null, ledgers: null, wallets: null, format: 'standard', status: 'ENABLED' },
      ...{ reason: null, secret: sealSecret(masterKey, uid, newSecret()), earlier_secret: null },
      ...{ earlier_until: null, place: 0, failing_since: null, created_at: now, updated_at: now },
    });
  });
  await addDelivery(store, uid, `of ${uid}`);
}

async function addDelivery(store: Store, uid: string, id: string): Promise<void> {
  const now = await store.now();
  const event = { event_id: id, place: 1, ordered_by: id, action_id: null, type: 'test', body: '{}' };
  await store.transaction((tx) => addDeliveries(tx, uid, [event], now, now + 60_000));
}

async function delivered(store: Store, id: string): Promise<void> {
  await vi.waitFor(async () => {
    const [row] = await store.read.all('SELECT status, body FROM webhook_delivery WHERE event_id = $1', [id]);
    // After the delivery, the body is erased.
    expect(row).toEqual({ status: 'DELIVERED', body: '' });
  }, 30_000);
}

const noEvents: DispatcherOptions['events'] = {
  latest: async () => 0,
  ofProject: async (_, __, next) => ({ events: [], next, more: false }),
};

function dispatch(store: Store, send: DispatcherOptions['send'], events = noEvents): Dispatcher {
  const dispatcher = new Dispatcher({
    ...{ store, send, source: '', log: () => undefined, timing, events },
  });
  dispatcher.start();
  return dispatcher;
}

describeDialects('the webhook dispatcher', (open) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  test("hanging receivers that use up one organization's capacity do not delay another organization's events", async () => {
    const store = await open();
    for (let at = 0; at < 24; at += 1) await addWebhook(store, `hostile-${at}`, 'hostile');
    await addWebhook(store, 'other', 'other');
    const answers = Promise.withResolvers<void>();
    const sent: string[] = [];
    const dispatcher = dispatch(store, async ({ uid, project_id }) => {
      sent.push(uid);
      if (project_id === 'hostile') await answers.promise;
      return { status: 204, error: null, retryAfterMs: null };
    });
    stops.push(() => {
      answers.resolve();
      return dispatcher.stop();
    });
    await delivered(store, 'of other');
    expect(sent.filter((uid) => uid !== 'other')).toHaveLength(16);
    answers.resolve();
    await vi.waitFor(() => expect(sent).toHaveLength(25), 30_000);
  });

  test('lists only the newest 10,000 delivered events of a webhook', async () => {
    const store = await open();
    await addWebhook(store, 'busy', 'project');
    const clock = { ms: await store.now() };
    await store.transaction(async (tx) => {
      const old = Array.from({ length: 10_500 }, (_, at) => ({
        ...{ event_id: `old-${at}`, place: at - 20_000, ordered_by: `${at}`, action_id: null },
        ...{ type: 'test', body: '' },
      }));
      await addDeliveries(tx, 'busy', old, clock.ms, clock.ms);
      await tx.run(`UPDATE webhook_delivery SET status = 'DELIVERED' WHERE event_id LIKE 'old-%'`);
    });
    const dispatcher = dispatch(Object.create(store, { now: { value: async () => clock.ms } }), async () => ({
      status: 204,
      error: null,
      retryAfterMs: null,
    }));
    stops.push(() => dispatcher.stop());
    await delivered(store, 'of busy');
    // Deliveries are removed once a minute.
    clock.ms += 61_000;
    const listed = `SELECT COUNT(*) AS count, MIN(place) AS first FROM webhook_delivery`;
    await vi.waitFor(async () => {
      const [row] = await store.read.all<{ count: number; first: number }>(listed);
      expect([Number(row?.count), Number(row?.first)]).toEqual([10_000, -19_499]);
    }, 30_000);
  });

  test('if its organization is at the limit, a webhook gets events one after the other, and further events wait in the log', async () => {
    const store = await open();
    await addWebhook(store, 'failing', 'project');
    await addWebhook(store, 'healthy', 'project');
    await store.transaction((tx) =>
      tx.run(
        `INSERT INTO storage_limit (scope, name, most, updated_by, updated_at) VALUES ('project', 'delivery-bytes', 10000, '', 0)`,
      ),
    );
    const event = (place: number): ServiceEvent => ({
      ...{ type: 'contract.event', id: `event-${place}`, place, at: 0, orderedBy: `${place}` },
      data: {
        ...{ subscriptionId: 'subscription', projectId: 'project', contractId: 'token', ledgerId: 'chain' },
        ...{ contractAddress: '0xab', ledgerEventId: `${place}`, name: null, args: null, raw: {} },
        ...{ transactionId: `${place}`, blockHeight: place, blockHash: '0xcd', blockTime: null },
      },
    });
    const last = 200;
    const events: DispatcherOptions['events'] = {
      latest: async () => last,
      ofProject: async (_, __, place) =>
        place < last
          ? { events: [event(place + 1)], next: place + 1, more: place + 1 < last }
          : { events: [], next: place, more: false },
    };
    let fails = true;
    const clock = { ms: await store.now() };
    const dispatcher = dispatch(
      Object.create(store, { now: { value: async () => clock.ms } }),
      async ({ uid }) =>
        uid === 'failing' && fails
          ? { status: 500, error: 'It failed.', retryAfterMs: null }
          : { status: 204, error: null, retryAfterMs: null },
      events,
    );
    stops.push(() => dispatcher.stop());
    const stored = async () => {
      const [row] = await store.read.all<{ bytes: number }>(
        "SELECT COALESCE(SUM(OCTET_LENGTH(body)), 0) AS bytes FROM webhook_delivery WHERE status = 'PENDING'",
      );
      return Number(row?.bytes);
    };
    const counted = async () => {
      const [row] = await store.read.all<{ amount: number }>(
        "SELECT amount FROM storage_usage WHERE scope = 'project' AND name = 'delivery-bytes'",
      );
      return Number(row?.amount ?? 0);
    };
    const places = async (uid: string) => {
      const [row] = await store.read.all<{ place: number }>('SELECT place FROM webhook WHERE uid = $1', [
        uid,
      ]);
      return Number(row?.place);
    };
    await vi.waitFor(async () => expect(await places('healthy')).toBe(last), 30_000);
    expect(await places('failing')).toBeLessThan(last);
    expect(await stored()).toBeLessThan(12_000);
    expect(await counted()).toBeGreaterThan(9_000);
    fails = false;
    await vi.waitFor(async () => {
      clock.ms += 1_000;
      expect(await places('failing')).toBe(last);
      expect(await stored()).toBe(0);
    }, 30_000);
    // The bytes are counted again once a minute, because deliveries are also removed when their webhook is deleted.
    clock.ms += 61_000;
    await vi.waitFor(async () => expect(await counted()).toBe(0), 30_000);
  });

  test('sends no other event to a receiver before its Retry-After has passed', async () => {
    const { store, sent, start } = await limited();
    await start();
    // A delivery of the other webhook proves that the dispatcher has read the new event.
    await addDelivery(store, 'limited', 'next');
    for (const id of ['first', 'second']) {
      await addDelivery(store, 'other', id);
      await delivered(store, id);
    }
    expect(sent.toSorted()).toEqual(['first', 'of limited', 'of other', 'second']);
  });

  test('a restart does not repeat a refused delivery before the Retry-After has passed', async () => {
    const { store, sent, start } = await limited();
    const dispatcher = await start();
    await dispatcher.stop();
    await start();
    for (const id of ['first', 'second']) {
      await addDelivery(store, 'other', id);
      await delivered(store, id);
    }
    expect(sent.toSorted()).toEqual(['first', 'of limited', 'of other', 'second']);
  });

  /**
   * Adds a webhook whose receiver demands a pause of one minute, and another webhook of the same project whose receiver
   * works. Returns a function that starts a dispatcher, and the ids of the events that it sent.
   */
  async function limited() {
    const store = await open();
    const sent: string[] = [];
    for (const uid of ['limited', 'other']) await addWebhook(store, uid, 'project');
    const start = async () => {
      const dispatcher = dispatch(store, async ({ uid }, id) => {
        sent.push(id);
        return uid === 'limited'
          ? { status: 429, error: 'The receiver answered 429.', retryAfterMs: 60_000 }
          : { status: 204, error: null, retryAfterMs: null };
      });
      stops.push(() => dispatcher.stop());
      await vi.waitFor(async () => {
        const [row] = await store.read.all(
          `SELECT attempts FROM webhook_delivery WHERE event_id = 'of limited'`,
        );
        expect(row).toEqual({ attempts: 1 });
      }, 30_000);
      return dispatcher;
    };
    return { store, sent, start };
  }
});
