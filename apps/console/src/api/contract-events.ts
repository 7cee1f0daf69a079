import { queryOptions } from '@tanstack/react-query';
import { get } from './client.ts';
import type { Schemas } from './types.ts';

export type Subscription = Schemas['ContractSubscription'];

export const subscriptionsQuery = () =>
  queryOptions({
    queryKey: ['contract-subscriptions'],
    refetchInterval: 5_000,
    queryFn: async ({ signal }) =>
      (await get<Schemas['ContractSubscriptionList']>('/v1/contract-subscriptions', {}, signal))
        .subscriptions,
  });
