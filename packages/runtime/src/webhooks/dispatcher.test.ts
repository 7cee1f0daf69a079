import { createMasterKey } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { Dispatcher } from './dispatcher.ts';
import { addDeliveries, insertWebhook } from './rows.ts';
import { newSecret, sealSecret } from './secret.ts';
import { defaultWebhookTiming } from './timing.ts';

const masterKey = createMasterKey(new Uint8Array(32));

describeStores('the webhook dispatcher', (open) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  test("delivers events of one organization while hanging receivers of another organization use up that organization's capacity", async () => {
    const store = await open();
    const now = await store.now();
    const addWebhook = (uid: string, project: string) =>
      store.transaction(async (tx) => {
        await insertWebhook(tx, {
          ...{ uid, project_id: project, url: 'https://receiver.example/', description: null },
          ...{ types: null, ledgers: null, wallets: null, format: 'standard', status: 'ENABLED' },
          ...{ reason: null, secret: sealSecret(masterKey, uid, newSecret()), earlier_secret: null },
          ...{ earlier_until: null, place: 0, failing_since: null, created_at: now, updated_at: now },
        });
        const event = { event_id: `of ${uid}`, place: 1, ordered_by: uid, action_id: null };
        await addDeliveries(tx, uid, [{ ...event, type: 'test', body: '{}' }], now, now + 60_000);
      });
    for (let at = 0; at < 24; at += 1) await addWebhook(`hostile-${at}`, 'hostile');
    await addWebhook('other', 'other');
    const answers = Promise.withResolvers<void>();
    const sent: string[] = [];
    const dispatcher = new Dispatcher({
      store,
      events: {
        latest: async () => 0,
        ofProject: async (_, __, next) => ({ events: [], next, more: false }),
      },
      async send({ uid, project_id }) {
        sent.push(uid);
        if (project_id === 'hostile') await answers.promise;
        return { status: 204, error: null, retryAfterMs: null };
      },
      ...{ source: '', log: () => undefined, timing: { ...defaultWebhookTiming, look: 5 } },
    });
    stops.push(() => {
      answers.resolve();
      return dispatcher.stop();
    });
    dispatcher.start();
    await vi.waitFor(async () => {
      const [row] = await store.read.all(
        `SELECT status, body FROM webhook_delivery WHERE webhook_uid = 'other'`,
      );
      // The body is erased after delivery.
      expect(row).toEqual({ status: 'DELIVERED', body: '' });
    }, 30_000);
    expect(sent.filter((uid) => uid !== 'other')).toHaveLength(16);
    answers.resolve();
    await vi.waitFor(() => expect(sent).toHaveLength(25), 30_000);
  });
});
