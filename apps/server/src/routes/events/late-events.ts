import { z } from '@hono/zod-openapi';
import type { ContractSubscriptions, LateSubscription, LateWebhook, Webhooks } from '@ledger-ops/runtime';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { rfc3339 } from '../../present/dates.ts';

const date = z.string().openapi({ format: 'date-time' });
const projectId = z.string().nullable().openapi({ description: 'Null: the project is deleted.' });
const lateWebhookSchema = z
  .object({
    id: z.string(),
    projectId,
    host: z.string().openapi({ description: 'Of its URL.' }),
    status: z.enum(['ENABLED', 'DISABLED']),
    reason: z.string().nullable().openapi({ description: 'Why the service disabled it.' }),
    failingSince: date
      .nullable()
      .openapi({ description: 'Null: it takes some events, or was not sent any since it was disabled.' }),
    pending: z.number().int().openapi({ description: 'Deliveries that wait.' }),
    oldestPendingAt: date.nullable(),
    lastError: z.string().nullable().openapi({ description: 'Of the delivery that failed last.' }),
  })
  .openapi('LateWebhook');
const lateSubscriptionSchema = z
  .object({
    id: z.string(),
    projectId,
    contractId: z.string(),
    ledgerId: z.string(),
    status: z.enum(['ACTIVE', 'PAUSED', 'STOPPED']),
    reason: z.string().nullable().openapi({ description: 'Why it was stopped.' }),
    blockHeight: z.number().int().openapi({ description: 'Of the newest block that was looked through.' }),
    lateSince: date
      .nullable()
      .openapi({ description: 'Since when it has not reached the newest block that is deep enough.' }),
    lastError: z.string().nullable(),
  })
  .openapi('LateContractSubscription');

/** For who runs the installation: whose events are late, and why. */
export function lateEventRoutes(
  webhooks: Pick<Webhooks, 'late'>,
  subscriptions: Pick<ContractSubscriptions, 'late'>,
): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/admin/late-events',
      operationId: 'adminListLateEvents',
      summary: 'List what delays events, in all projects',
      description:
        'Webhooks that do not take what they are sent or were disabled for it, and contract subscriptions that are behind or were stopped. Of each at most 100, the latest first.',
      service: 'administration',
      permission: { needs: 'system:read', on: 'record' },
      problems: ['not-found'],
      answers: {
        200: {
          description: 'Both; empty where nothing is late.',
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
