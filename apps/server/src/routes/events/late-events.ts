import { z } from '@hono/zod-openapi';
import type { ContractSubscriptions, LateSubscription, LateWebhook, Webhooks } from '@ledger-ops/runtime';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { rfc3339 } from '../../present/dates.ts';

const date = z.string().openapi({ format: 'date-time' });
const projectId = z
  .string()
  .nullable()
  .openapi({ description: 'Id of the project; null if the project was deleted.' });
const lateWebhookSchema = z
  .object({
    id: z.string(),
    projectId,
    host: z.string().openapi({ description: 'Host of the webhook’s URL.' }),
    status: z.enum(['ENABLED', 'DISABLED']),
    reason: z.string().nullable().openapi({ description: 'Why the service disabled the webhook.' }),
    failingSince: date.nullable().openapi({
      description:
        'When deliveries started to fail. Null if some succeed, or if none were sent since it was disabled.',
    }),
    pending: z.number().int().openapi({ description: 'Waiting deliveries.' }),
    oldestPendingAt: date.nullable(),
    lastError: z.string().nullable().openapi({ description: 'Response status of the last failed delivery.' }),
  })
  .openapi('LateWebhook');
const lateSubscriptionSchema = z
  .object({
    id: z.string(),
    projectId,
    contractId: z.string(),
    ledgerId: z.string(),
    status: z.enum(['ACTIVE', 'PAUSED', 'STOPPED']),
    reason: z.string().nullable().openapi({ description: 'Why the subscription was stopped.' }),
    blockHeight: z.number().int().openapi({ description: 'Height of the newest block that was searched.' }),
    lateSince: date
      .nullable()
      .openapi({ description: 'Since when the subscription is behind the newest final block.' }),
    lastError: z.string().nullable(),
  })
  .openapi('LateContractSubscription');

/** Late event deliveries and their causes, for deployers of the installation. */
export function lateEventRoutes(
  webhooks: Pick<Webhooks, 'late'>,
  subscriptions: Pick<ContractSubscriptions, 'late'>,
): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/admin/late-events',
      operationId: 'adminListLateEvents',
      summary:
        'List failing or disabled webhooks, and delayed or stopped contract subscriptions, of all projects',
      description:
        'Webhooks whose deliveries fail or that were disabled because of failures, and contract subscriptions that are behind or were stopped. At most 100 of each, the most delayed first.',
      service: 'administration',
      permission: { needs: 'system:read', on: 'record' },
      problems: ['not-found'],
      answers: {
        200: {
          description: 'Both lists; empty if nothing is late.',
          schema: z
            .object({
              webhooks: z.array(lateWebhookSchema),
              contractSubscriptions: z.array(lateSubscriptionSchema),
            })
            .openapi('LateEvents'),
        },
      },
      async handle({ principal }) {
        const [late, behind] = await Promise.all([webhooks.late(principal), subscriptions.late(principal)]);
        return ok({ webhooks: late.map(webhookBody), contractSubscriptions: behind.map(subscriptionBody) });
      },
    }),
  ];
}

const dateOrNull = (at: number | null) => (at === null ? null : rfc3339(at));

function webhookBody({ failingSince, oldestPendingAt, ...rest }: LateWebhook) {
  return { ...rest, failingSince: dateOrNull(failingSince), oldestPendingAt: dateOrNull(oldestPendingAt) };
}

function subscriptionBody({ lateSince, ...rest }: LateSubscription) {
  return { ...rest, lateSince: dateOrNull(lateSince) };
}
