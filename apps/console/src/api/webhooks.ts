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

/** Filter and page of the deliveries list, as in the page's address. */
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

/**
 * Description of each event type. If the service's OpenAPI document has a type that is missing here,
 * compilation fails.
 */
const aboutEvents: Record<Schemas['EventType'], string> = {
  'action.accepted': 'The action is stored. It will be executed exactly once, or fail.',
  'action.sent': 'The action was signed after it waited, for example for another action.',
  'action.continued': 'The action needs another transaction.',
  'action.succeeded': 'The ledger executed the action. Final.',
  'action.failed': 'The action failed. The event contains the reason. Final.',
  'action.cancelled': 'The action was canceled before the ledger executed it. Final.',
  'action.cancel_requested': 'A person requested to cancel the action.',
  'action.hurry_requested': 'A person requested to speed the action up.',
  'action.retracted': 'A reorganization of the chain removed the transaction of a final action.',
  'action.reinstated': 'The ledger shows a removed transaction again.',
  'contract.event': 'A contract that this project subscribes to emitted an event.',
};

/** Event types, grouped by subject. */
export const eventGroups = [
  group('Results', ['action.succeeded', 'action.failed', 'action.cancelled']),
  group('Progress', ['action.accepted', 'action.sent', 'action.continued']),
  group('Requests of users', ['action.cancel_requested', 'action.hurry_requested']),
  group('Reorganizations', ['action.retracted', 'action.reinstated']),
  group('Contracts', ['contract.event']),
];

function group(title: string, types: readonly Schemas['EventType'][]) {
  return { title, events: types.map((type) => [type, aboutEvents[type]] as const) };
}
