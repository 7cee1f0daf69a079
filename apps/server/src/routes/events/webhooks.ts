import { z } from '@hono/zod-openapi';
import { invalidRequest } from '@ledger-ops/base';
import type { DeliveryView, Webhooks, WebhookView } from '@ledger-ops/runtime';
import { created, noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { instant, pathId, text } from '../../http/schemas.ts';
import { rfc3339 } from '../../present/dates.ts';
import { eventTypeSchema } from '../../present/event.ts';
import { eventFilterFields } from './events.ts';

const service = 'events';
/** Events cover all wallets of the project. */
const permission = { needs: 'project:update', on: 'project', also: ['wallet:read'] } as const;

const date = z.string().openapi({ format: 'date-time' });
const url = text(2_048).openapi({
  format: 'uri',
  description: 'An https URL; http is only allowed for private addresses that the deployer allows.',
});
const description = text(256);
const format = z.enum(['standard', 'cloudevents']);
const { types, ledgers, wallets } = eventFilterFields;
const everything = 'Null selects all.';
const listed = (item: z.ZodType) => z.array(item).nullable().openapi({ description: everything });

const webhookSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string().nullable(),
    types: listed(eventTypeSchema),
    ledgers: listed(z.string()),
    wallets: listed(z.string()),
    format,
    status: z.enum(['ENABLED', 'DISABLED']),
    reason: z.string().nullable().openapi({ description: 'Why the service disabled the webhook.' }),
    failingSince: date.nullable().openapi({ description: 'Null if the last delivery succeeded.' }),
    earlierSecretUntil: date
      .nullable()
      .openapi({ description: 'Time until which requests are also signed with the former secret.' }),
    createdAt: date,
    updatedAt: date,
  })
  .openapi('Webhook');
const withSecretSchema = z
  .object({
    ...webhookSchema.shape,
    secret: z
      .string()
      .openapi({ description: '`whsec_…`, as defined by Standard Webhooks; shown only once.' }),
  })
  .openapi('WebhookWithSecret');
const deliverySchema = z
  .object({
    eventId: z.string(),
    type: z.string(),
    actionId: z
      .string()
      .nullable()
      .openapi({ description: 'Id of the action; null for an event of a contract.' }),
    status: z
      .enum(['PENDING', 'DELIVERED', 'DEAD'])
      .openapi({ description: 'DEAD: given up after three days, or when the webhook was disabled.' }),
    attempts: z.number().int(),
    createdAt: date,
    nextAt: date.nullable().openapi({ description: 'Time of the next attempt.' }),
    lastAt: date.nullable(),
    lastStatus: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'Status of the last response; null if none was received.' }),
    lastError: z.string().nullable(),
  })
  .openapi('WebhookDelivery');

const newSchema = z
  .strictObject({
    url,
    description: description.nullish(),
    types: types.nullish(),
    ledgers: ledgers.nullish(),
    wallets: wallets.nullish(),
    format: format.default('standard'),
  })
  .openapi('CreateWebhookBody');
const changeSchema = z
  .strictObject({
    url: url.optional(),
    description: description.nullish(),
    types: types.nullish(),
    ledgers: ledgers.nullish(),
    wallets: wallets.nullish(),
    format: format.optional(),
    status: z.enum(['ENABLED', 'DISABLED']).optional(),
  })
  .openapi('WebhookChange');
const replaySchema = z
  .strictObject({
    eventId: text(64).optional(),
    from: instant().optional().openapi({ description: 'At most seven days ago.' }),
  })
  .openapi('WebhookReplay');

const webhookPath = z.object({ webhookId: pathId('Id of the webhook.') });
const answer = { 200: { description: 'The webhook.', schema: webhookSchema } };
const example = { url: 'https://receiver.example/events', types: ['action.succeeded', 'action.failed'] };

/** Webhooks, which receive a project's events. */
export function webhookRoutes(webhooks: Webhooks): Route[] {
  return [...records(webhooks), ...secrets(webhooks), ...deliveries(webhooks)];
}

function records(webhooks: Webhooks): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/webhooks',
      operationId: 'listWebhooks',
      summary: 'List the webhooks of the project',
      service,
      permission,
      answers: {
        200: {
          description: 'All webhooks.',
          schema: z.object({ webhooks: z.array(webhookSchema) }).openapi('WebhookList'),
        },
      },
      problems: ['not-found'],
      handle: async ({ principal }) => ok({ webhooks: (await webhooks.list(principal)).map(webhookBody) }),
    }),
    defineRoute({
      method: 'post',
      path: '/v1/webhooks',
      operationId: 'createWebhook',
      summary: 'Create a webhook that sends the project’s events to a URL',
      description:
        'Sends new events of the project’s actions and subscribed contracts, according to Standard Webhooks. Types, ledgers and wallets are lists of alternatives. The secret is shown once.',
      service,
      permission,
      body: jsonBody(newSchema, example),
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The webhook.', schema: withSecretSchema } },
      problems: ['not-found', 'conflict', 'address-not-opened'],
      async handle({ principal, body, claim }) {
        const { url, description = null, format, ...filter } = body;
        const { secret, ...made } = await webhooks.create(
          principal,
          { url, description, format, filter },
          claim,
        );
        return created({ ...webhookBody(made), secret });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/webhooks/{webhookId}',
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      service,
      permission,
      params: webhookPath,
      answers: answer,
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(webhookBody(await webhooks.get(principal, params.webhookId))),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/webhooks/{webhookId}',
      operationId: 'updateWebhook',
      summary: 'Change a webhook',
      description:
        'Absent members remain unchanged. Disabling a webhook cancels its pending deliveries. After it is enabled again, it gets new events; missed events can be replayed.',
      service,
      permission,
      params: webhookPath,
      body: jsonBody(changeSchema, { status: 'ENABLED' }),
      answers: answer,
      problems: ['not-found', 'address-not-opened'],
      async handle({ principal, params, body }) {
        const { types, ledgers, wallets, url, description, format, status } = body;
        const change = {
          ...(url === undefined ? {} : { url }),
          ...(description === undefined ? {} : { description }),
          ...(format === undefined ? {} : { format }),
          ...(status === undefined ? {} : { status }),
          filter: { types, ledgers, wallets },
        };
        return ok(webhookBody(await webhooks.update(principal, params.webhookId, change)));
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/webhooks/{webhookId}',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook with its deliveries',
      service,
      permission,
      params: webhookPath,
      answers: { 204: { description: 'Deleted.' } },
      problems: ['not-found'],
      async handle({ principal, params }) {
        await webhooks.delete(principal, params.webhookId);
        return noContent;
      },
    }),
  ];
}

function secrets(webhooks: Webhooks): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/webhooks/{webhookId}/secret',
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret of a webhook',
      description: 'The new secret is shown once. For 24 hours, requests are signed with both secrets.',
      service,
      permission,
      params: webhookPath,
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The webhook.', schema: withSecretSchema } },
      problems: ['not-found', 'conflict'],
      async handle({ principal, params, claim }) {
        const { secret, ...made } = await webhooks.rotate(principal, params.webhookId, claim);
        return created({ ...webhookBody(made), secret });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/webhooks/{webhookId}/test',
      operationId: 'testWebhook',
      contacts: ['receiver'],
      summary: 'Send a test event',
      description: 'Sends an event of type `webhook.test`, signed like all events, without retries.',
      service,
      permission,
      params: webhookPath,
      answers: {
        200: {
          description: 'The receiver’s response.',
          schema: z
            .object({
              delivered: z.boolean(),
              status: z
                .number()
                .int()
                .nullable()
                .openapi({ description: 'HTTP status; null if there was no response.' }),
              error: z.string().nullable(),
            })
            .openapi('WebhookTest'),
        },
      },
      problems: ['not-found'],
      async handle({ principal, params }) {
        const { status, error } = await webhooks.test(principal, params.webhookId);
        return ok({ delivered: error === null, status, error });
      },
    }),
  ];
}

function deliveries(webhooks: Webhooks): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/webhooks/{webhookId}/deliveries',
      operationId: 'listWebhookDeliveries',
      summary: 'List the deliveries of a webhook',
      description:
        'Newest events first. Of the last seven days, the newest 10,000 delivered and the newest 10,000 dead deliveries are listed.',
      service,
      permission,
      params: webhookPath,
      query: z.strictObject({
        status: z.enum(['PENDING', 'DELIVERED', 'DEAD']).optional(),
        cursor: z
          .string()
          .max(15, { abort: true })
          .regex(/^[0-9]{1,15}$/, 'must be the cursor from `next` of a page')
          .optional()
          .openapi({ description: 'The value of `next` in the previous page.' }),
        size: z.coerce.number().int().min(1).max(100).default(20),
      }),
      answers: {
        200: {
          description: 'A page of deliveries.',
          schema: z
            .object({
              deliveries: z.array(deliverySchema),
              next: z
                .string()
                .nullable()
                .openapi({ description: 'The cursor of the next page; null on the last page.' }),
            })
            .openapi('WebhookDeliveryPage'),
        },
      },
      problems: ['not-found'],
      async handle({ principal, params, query: { cursor, status, size } }) {
        const before = cursor === undefined ? undefined : Number(cursor);
        const { items, next } = await webhooks.deliveries(principal, params.webhookId, {
          before,
          status,
          size,
        });
        return ok({ deliveries: items.map(deliveryBody), next: next === null ? null : String(next) });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/webhooks/{webhookId}/replay',
      operationId: 'replayWebhook',
      summary: 'Replay events',
      description:
        'Sends one event again by its id, or all events since a time, and possibly some from the minute before it. Events keep their ids.',
      service,
      permission,
      params: webhookPath,
      body: jsonBody(replaySchema, { from: '2026-11-20T12:30:05Z' }),
      answers: { 204: { description: 'Queued for delivery.' } },
      problems: ['not-found', 'conflict', 'event-too-old'],
      async handle({ principal, params, body: { eventId, from } }) {
        if ((eventId === undefined) === (from === undefined)) {
          throw invalidRequest([{ pointer: '', detail: 'must have either eventId or from' }]);
        }
        const what = eventId === undefined ? { from: from ?? 0 } : { eventId };
        await webhooks.replay(principal, params.webhookId, what);
        return noContent;
      },
    }),
  ];
}

function webhookBody({
  filter,
  failingSince,
  earlierSecretUntil,
  createdAt,
  updatedAt,
  ...rest
}: WebhookView) {
  const { types = null, ledgers = null, wallets = null } = filter;
  return {
    ...rest,
    types,
    ledgers,
    wallets,
    failingSince: failingSince === null ? null : rfc3339(failingSince),
    earlierSecretUntil: earlierSecretUntil === null ? null : rfc3339(earlierSecretUntil),
    createdAt: rfc3339(createdAt),
    updatedAt: rfc3339(updatedAt),
  };
}

function deliveryBody({ createdAt, nextAt, lastAt, ...rest }: DeliveryView) {
  const at = (time: number | null) => (time === null ? null : rfc3339(time));
  return { ...rest, createdAt: rfc3339(createdAt), nextAt: at(nextAt), lastAt: at(lastAt) };
}
