import { z } from '@hono/zod-openapi';
import type { ContractSubscriptions, ContractSubscriptionView } from '@ledger-ops/runtime';
import { created, noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import { rfc3339 } from '../../present/dates.ts';
import { ledgerProblems } from '../ledger-problems.ts';

const service = 'events';
const path = '/v1/contract-subscriptions';
const permission = { needs: 'project:update', on: 'project' } as const;

const date = z.string().openapi({ format: 'date-time' });
const subscriptionSchema = z
  .object({
    id: z.string(),
    contractId: z.string(),
    ledgerId: z.string(),
    events: z
      .array(z.string())
      .nullable()
      .openapi({ description: 'Names of the subscribed events. Null if all events are subscribed.' }),
    status: z.enum(['ACTIVE', 'PAUSED', 'STOPPED']).openapi({
      description: 'STOPPED is final: to continue, delete the subscription and create a new one.',
    }),
    reason: z.string().nullable().openapi({
      description: 'Why the subscription was stopped, or that its first block does not exist yet.',
    }),
    blockHeight: z.number().int().openapi({ description: 'Height of the newest block that was searched.' }),
    blocksBehind: z.number().int().nullable().openapi({
      description:
        'Number of final blocks that were not searched yet at the last read. Null if the subscription has not been read yet, or not since it was paused.',
    }),
    failingSince: date.nullable().openapi({
      description: 'Since when reading fails; the service retries. Null if the last read succeeded.',
    }),
    lastError: z.string().nullable(),
    createdAt: date,
  })
  .openapi('ContractSubscription');

const names = z.array(text(256)).min(1).max(64);
const newSchema = z
  .strictObject({
    contractId: text(256).openapi({ description: 'Id of a registered contract of the project.' }),
    events: names.nullish().openapi({ description: 'Names of events in the interface. Default: all.' }),
    fromBlock: z
      .number()
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .nullish()
      .openapi({ description: 'Height of the first block to search. Default: the next block.' }),
  })
  .openapi('CreateContractSubscriptionBody');
const changeSchema = z
  .strictObject({
    status: z.enum(['ACTIVE', 'PAUSED']).optional(),
    events: names.nullish().openapi({ description: 'Names of events in the interface. Null selects all.' }),
  })
  .openapi('ContractSubscriptionChange');

const params = z.object({ subscriptionId: pathId('Id of the subscription.') });
const answer = { description: 'The subscription.', schema: subscriptionSchema };

/** Contract subscriptions, which add events of contracts to the events of a project. */
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
          description: 'All subscriptions.',
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
      contacts: ['ledger'],
      summary: 'Subscribe to the events of a contract',
      description:
        'Events of the contract, starting at a block, become `contract.event` events of the project, for its webhooks and `GET /v1/events`. Each becomes one event, decoded with the contract’s interface, once its block has as many confirmations as the ledger’s property `confirmations` requires.',
      service,
      permission: { ...permission, also: ['smart-contract-instance:read'] },
      body: jsonBody(newSchema, { contractId: 'token', events: ['Transfer'], fromBlock: 812 }),
      creates: { present: (stored: unknown) => subscriptionBody(stored as ContractSubscriptionView) },
      answers: { 201: answer },
      problems: ['not-found', 'conflict', 'unknown-event', 'unsupported-operation', ...ledgerProblems],
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
      contacts: ['ledger'],
      summary: 'Pause or resume a contract subscription, or change its events',
      description:
        'Absent members remain unchanged. While PAUSED, no events are read; ACTIVE resumes at the same block and delivers the missed events. A change of `events` applies to blocks that are read afterwards. A stopped subscription cannot be changed.',
      service,
      permission: { ...permission, also: ['smart-contract-instance:read'] },
      params,
      body: jsonBody(changeSchema, { status: 'PAUSED' }),
      answers: { 200: answer },
      problems: ['not-found', 'conflict', 'unknown-event', ...ledgerProblems],
      async handle({ principal, params: { subscriptionId }, body: { status, events } }) {
        const change = { ...(status && { status }), ...(events === undefined ? {} : { events }) };
        return ok(subscriptionBody(await subscriptions.update(principal, subscriptionId, change)));
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{subscriptionId}`,
      operationId: 'deleteContractSubscription',
      summary: 'Delete a contract subscription',
      description: 'Events that the service has already read are still delivered.',
      service,
      permission,
      params,
      answers: { 204: { description: 'Deleted.' } },
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
