// Tests for rows that one server owns at a time. Only PostgreSQL allows several servers, but the rules are the same in
// both dialects.
import { describeStores } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import { disown, own } from '../src/rows/owned.ts';
import { insertWebhook, updateWebhook, webhooks } from '../src/webhooks/rows.ts';

describeStores('a webhook', (open) => {
  test('a webhook belongs to one server until the lease expires or is released', async () => {
    const store = await open();
    await store.transaction((tx) =>
      insertWebhook(tx, {
        ...{ uid: 'hook', project_id: 'project', url: 'https://receiver.example', description: null },
        ...{ format: 'standard', types: null, ledgers: null, wallets: null, status: 'ENABLED', reason: null },
        ...{ failing_since: null, secret: new Uint8Array(8), earlier_secret: null, earlier_until: null },
        ...{ place: 0, created_at: 0, updated_at: 0 },
      }),
    );
    const take = async (owner: string, now: number, until: number) =>
      (await store.transaction((tx) => own(tx, webhooks, 'hook', owner, now, until)))?.uid;

    expect(await take('one', 100, 200)).toBe('hook');
    expect(await take('two', 199, 300)).toBeUndefined();
    expect(await take('one', 199, 250)).toBe('hook');
    expect(await take('two', 249, 300)).toBeUndefined();
    expect(await take('two', 250, 350)).toBe('hook');
    expect(await take('one', 260, 400)).toBeUndefined();

    // A server cannot release the lease of another server.
    await store.transaction((tx) => disown(tx, webhooks, 'one'));
    expect(await take('one', 260, 400)).toBeUndefined();
    await store.transaction((tx) => disown(tx, webhooks, 'two'));
    expect(await take('one', 260, 400)).toBe('hook');

    await store.transaction((tx) => updateWebhook(tx, 'hook', { status: 'DISABLED' }));
    expect(await take('one', 260, 400)).toBeUndefined();
  });
});
