import { expect, expectTypeOf, test } from 'vitest';
import type { components, Item } from '../src/index.ts';
import { json, openFake } from './fake-service.ts';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('reads numbered and cursor-based pages, and requests only the pages that the caller needs', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [
    () => json({ actions: [{ actionId: '1' }, { actionId: '2' }], next: 'c2' }),
    () => json({ actions: [{ actionId: '3' }], next: null }),
  ];
  const actions = await all(ledger.each('/v1/ledger-ops/actions', { query: { tag: 'x', size: 2 } }));
  expect(actions.map(({ actionId }) => actionId)).toEqual(['1', '2', '3']);
  service.answers = [
    () =>
      json({
        contentType: 'WalletPage',
        pageElements: 1,
        pageNumber: 0,
        totalPages: 2,
        pageContent: [{ walletId: 'a' }],
      }),
    () =>
      json({
        contentType: 'WalletPage',
        pageElements: 1,
        pageNumber: 1,
        totalPages: 2,
        pageContent: [{ walletId: 'b' }],
      }),
  ];
  const wallets = await all(ledger.each('/v1/cloud-wallet/wallets'));
  expect(wallets.map(({ walletId }) => walletId)).toEqual(['a', 'b']);
  service.answers = [
    () => json({ hasMore: true, nextPage: 1, previousPage: 0, pageContent: [{ id: 'p' }] }),
    () => json({ hasMore: false, nextPage: 1, previousPage: 0, pageContent: [{ id: 'q' }] }),
  ];
  expect(await all(ledger.each('/v1/plugins', { query: { project: 'own' } }))).toHaveLength(2);
  expect(asked().map(({ path }) => path)).toEqual([
    '/v1/ledger-ops/actions?size=2&tag=x',
    '/v1/ledger-ops/actions?size=2&tag=x&cursor=c2',
    '/v1/cloud-wallet/wallets?size=100',
    '/v1/cloud-wallet/wallets?size=100&page=1',
    '/v1/plugins?size=100&project=own',
    '/v1/plugins?size=100&project=own&page=1',
  ]);
  service.answers = [() => json({ actions: [{ actionId: '1' }], next: 'c2' })];
  for await (const _ of ledger.each('/v1/ledger-ops/actions')) break;
  expect(asked()).toHaveLength(7);
});

test('items and parameters have the types of the path', () => {
  const { ledger } = openFake();
  expectTypeOf<Item<'/v1/ledger-ops/actions'>>().toEqualTypeOf<components['schemas']['ActionOverview']>();
  expectTypeOf<Item<'/v1/plugins'>>().toEqualTypeOf<components['schemas']['LedgerPlugin']>();
  expectTypeOf<Item<'/v1/webhooks/{webhookId}/deliveries'>>().toEqualTypeOf<
    components['schemas']['WebhookDelivery']
  >();
  // @ts-expect-error the project is required
  ledger.each('/v1/plugins');
  // @ts-expect-error the id of the webhook is required
  ledger.each('/v1/webhooks/{webhookId}/deliveries', { query: { size: 5 } });
  // @ts-expect-error it answers no pages
  ledger.each('/livez');
  // @ts-expect-error there is no such member
  ledger.each('/v1/cloud-wallet/wallets', { query: { colour: 'red' } });
});
