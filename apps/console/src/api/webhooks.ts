import { queryOptions } from '@tanstack/react-query';
import { get, path } from './client.ts';
import type { Schemas } from './types.ts';

export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['WebhookDelivery'];

export const webhooksQuery = () =>
  queryOptions({
    queryKey: ['webhooks'],
    queryFn: async ({ signal }) => (await get<Schemas['WebhookList']>('/v1/webhooks', {}, signal)).webhooks,
  });

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: ['webhooks', webhookId],
    refetchInterval: 10_000,
    queryFn: ({ signal }) => get<Webhook>(path`/v1/webhooks/${webhookId}`, {}, signal),
  });

/** Which deliveries a page shows, as its address has it. */
export interface DeliveryFilter {
  readonly status?: Delivery['status'];
  readonly cursor?: string;
}

export const deliveriesQuery = (webhookId: string, filter: DeliveryFilter) =>
  queryOptions({
    queryKey: ['webhooks', webhookId, 'deliveries', filter],
    refetchInterval: 5_000,
    queryFn: ({ signal }) =>
      get<Schemas['WebhookDeliveryPage']>(path`/v1/webhooks/${webhookId}/deliveries`, { ...filter }, signal),
  });

const knownTypes: Record<Schemas['EventType'], true> = {
  'action.accepted': true,
  'action.sent': true,
  'action.continued': true,
  'action.cancel_requested': true,
  'action.hurry_requested': true,
  'action.succeeded': true,
  'action.failed': true,
  'action.cancelled': true,
  'action.retracted': true,
  'action.reinstated': true,
  'contract.event': true,
};

/** All types of events; one that the service's document has and this lacks does not compile. */
export const eventTypes = Object.keys(knownTypes);
