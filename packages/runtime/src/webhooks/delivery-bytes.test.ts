import { createMasterKey } from '@ledger-ops/base';
import { describePostgres } from '@ledger-ops/store/testing';
import { expect, test, vi } from 'vitest';
import { changeDeliveryBytes, recountDeliveryBytes } from './delivery-bytes.ts';
import { addDeliveries, insertWebhook } from './rows.ts';
import { newSecret, sealSecret } from './secret.ts';

describePostgres('the count of pending webhook bytes', (open) => {
  test('the byte count includes deliveries that another server adds while the bytes are counted again', async () => {
    const store = await open();
    const secret = sealSecret(createMasterKey(new Uint8Array(32)), 'webhook', newSecret());
    await store.transaction(async (tx) => {
      await insertWebhook(tx, {
        ...{ uid: 'webhook', project_id: 'project', url: 'https://receiver.example/', description: null },
        ...{ types: null, ledgers: null, wallets: null, format: 'standard', status: 'ENABLED' },
        ...{ reason: null, secret, earlier_secret: null, earlier_until: null, place: 0 },
        ...{ failing_since: null, created_at: 0, updated_at: 0 },
      });
      await changeDeliveryBytes(tx, 'project', 5);
    });
    const added = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const adding = store.transaction(async (tx) => {
      const body = 'x'.repeat(100);
      const event = { event_id: 'one', place: 1, ordered_by: 'one', action_id: null, type: 'test', body };
      await addDeliveries(tx, 'webhook', [event], 0, 60_000);
      await changeDeliveryBytes(tx, 'project', body.length);
      added.resolve();
      await commit.promise;
    });
    await added.promise;
    const counting = store.transaction(recountDeliveryBytes);
    await vi.waitFor(async () => {
      const waiting = await store.read.all('SELECT pid FROM pg_locks WHERE NOT granted');
      expect(waiting).toHaveLength(1);
    }, 30_000);
    commit.resolve();
    await Promise.all([adding, counting]);
    const rows = await store.read.all('SELECT scope, amount FROM storage_usage');
    expect(rows).toEqual([{ scope: 'project', amount: 100 }]);
  });
});
