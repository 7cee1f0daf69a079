import { z } from '@hono/zod-openapi';
import type { ContractSubscriptions, ContractSubscriptionView } from '@ledger-ops/runtime';
import { created, noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import { rfc3339 } from '../../present/dates.ts';

const service = 'events';
const path = '/v1/contract-subscriptions';
const permission = { needs: 'project:update', on: 'project' } as const;

const date = z.string().openapi({ format: 'date-time' });
const subscriptionSchema = z
  .object({
    id: z.string(),
    contractId: z.string(),
    ledgerId: z.string(),
    events: z.array(z.string()).nullable().openapi({ description: 'Names of events. Null: all.' }),
    status: z
      .enum(['ACTIVE', 'PAUSED', 'STOPPED'])
      .openapi({ description: 'STOPPED: for good. Delete it, and subscribe anew.' }),
    reason: z
      .string()
      .nullable()
      .openapi({ description: 'Why it was stopped, or that its first block is still to come.' }),
    blockHeight: z.number().int().openapi({ description: 'Of the newest block that was looked through.' }),
    blocksBehind: z.number().int().nullable().openapi({
      description:
        'Blocks, as deep as the ledger asks, that were still to be looked through when it was read last. Null: it was not read yet, or not since it was paused.',
    }),
    failingSince: date
      .nullable()
      .openapi({ description: 'Since when it could not be read; it is tried again. Null: it could.' }),
    lastError: z.string().nullable(),
    createdAt: date,
  })
  .openapi('ContractSubscription');

const names = z.array(text(256)).min(1).max(64);
const newSchema = z
  .strictObject({
    contractId: text(256).openapi({ description: 'Of a registered contract of the project.' }),
    events: names
      .nullish()
      .openapi({ description: 'Names of events as the interface has them. Absent: all.' }),
    fromBlock: z
      .number()
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .nullish()
      .openapi({ description: 'Height of the first block. Absent: what comes from now on.' }),
  })
  .openapi('CreateContractSubscriptionBody');
const changeSchema = z
  .strictObject({
    status: z.enum(['ACTIVE', 'PAUSED']).optional(),
    events: names.nullish().openapi({ description: 'Names of events as the interface has them. Null: all.' }),
  })
  .openapi('ContractSubscriptionChange');

const params = z.object({ subscriptionId: pathId('Id of the subscription.') });
const answer = { description: 'The subscription.', schema: subscriptionSchema };

/** Having events of contracts among those of a project. */
export function contractSubscriptionRoutes(subscriptions: ContractSubscriptions): Route[] {
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'listContractSubscriptions',
      summary: 'List the contract subscriptions of the project',
      service,
      permission,
      answers: {
        200: {
          description: 'All of them.',
          schema: z
            .object({ subscriptions: z.array(subscriptionSchema) })
            .openapi('ContractSubscriptionList'),
        },
      },
      problems: ['not-found'],
      handle: async ({ principal }) =>
        ok({ subscriptions: (await subscriptions.list(principal)).map(subscriptionBody) }),
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'createContractSubscription',
      summary: 'Subscribe to the events of a contract',
      description:
        'What the contract tells, from a block on, becomes events `contract.event` of the project, for its webhooks and `GET /v1/events`: each once by its id, decoded by the contract’s interface, when its block is as deep as the ledger’s `confirmations` ask.',
      service,
      permission: { ...permission, also: ['smart-contract-instance:read'] },
      body: jsonBody(newSchema, { contractId: 'token', events: ['Transfer'], fromBlock: 812 }),
      creates: { present: (stored: unknown) => subscriptionBody(stored as ContractSubscriptionView) },
      answers: { 201: answer },
      problems: [
        'not-found',
        'conflict',
        'unknown-event',
        'unsupported-operation',
        'no-plugin',
        'plugin-fault',
        'ledger-unavailable',
        'ledger-timeout',
        'address-not-opened',
      ],
      async handle({ principal, body, claim }) {
        const { contractId, events = null, fromBlock = null } = body;
        return created(
          subscriptionBody(await subscriptions.create(principal, { contractId, events, fromBlock }, claim)),
        );
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{subscriptionId}`,
      operationId: 'getContractSubscription',
      summary: 'Get a contract subscription',
      service,
      permission,
      params,
      answers: { 200: answer },
      problems: ['not-found'],
      handle: async ({ principal, params: { subscriptionId } }) =>
        ok(subscriptionBody(await subscriptions.get(principal, subscriptionId))),
    }),
    defineRoute({
      method: 'put',
      path: `${path}/{subscriptionId}`,
      operationId: 'updateContractSubscription',
      summary: 'Pause a contract subscription, go on with it, or change which events it tells',
      description:
        'What is absent stays. PAUSED, nothing is read, and ACTIVE again it goes on where it stood: what the contract told meanwhile is told then. Other names of events hold for what is read from then on. One that was stopped cannot be changed.',
      service,
      permission: { ...permission, also: ['smart-contract-instance:read'] },
      params,
      body: jsonBody(changeSchema, { status: 'PAUSED' }),
      answers: { 200: answer },
      problems: [
        'not-found',
        'conflict',
        'unknown-event',
        'no-plugin',
        'plugin-fault',
        'ledger-unavailable',
        'address-not-opened',
      ],
      async handle({ principal, params: { subscriptionId }, body: { status, events } }) {
        const change = { ...(status && { status }), ...(events === undefined ? {} : { events }) };
        return ok(subscriptionBody(await subscriptions.update(principal, subscriptionId, change)));
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{subscriptionId}`,
      operationId: 'deleteContractSubscription',
      summary: 'Be told no more of a contract',
      description: 'Events that were read already are still delivered.',
      service,
      permission,
      params,
      answers: { 204: { description: 'It is gone.' } },
      problems: ['not-found'],
      async handle({ principal, params: { subscriptionId } }) {
        await subscriptions.delete(principal, subscriptionId);
        return noContent;
      },
    }),
  ];
}

function subscriptionBody({ failingSince, createdAt, ...rest }: ContractSubscriptionView) {
  return {
    ...rest,
    failingSince: failingSince === null ? null : rfc3339(failingSince),
    createdAt: rfc3339(createdAt),
  };
}
