import { z } from '@hono/zod-openapi';
import { invalidRequest } from '@ledger-ops/base';
import { type Actions, type PendingCode, pendingCodes } from '@ledger-ops/runtime';
import { explain } from '../../explain/explain.ts';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { instant, pathId, text, uuid } from '../../http/schemas.ts';
import { rfc3339 } from '../../present/dates.ts';
import { detailsBody, detailsSchema, overviewBody, overviewSchema } from '../../present/overview.ts';

const read = { needs: 'wallet:read', on: 'record' } as const;
const project = text(256).optional().openapi({
  description:
    'Id of a project, or its resourceUUID; of another than the own one for who sees all of them. An id that several organizations have is answered with 409.',
});
const count = z.number().int();
const countsSchema = z
  .object({
    status: z.object({ PENDING: count, SUCCEEDED: count, FAILED: count }),
    stage: z
      .object({ blocked: count, ready: count, signed: count })
      .openapi({ description: 'Where those that are pending stand.' }),
    pending: z
      .record(z.string(), count)
      .openapi({ description: 'Why those that are pending are so, by the codes of pending reasons.' }),
    oldestPendingAt: z.string().nullable().openapi({
      format: 'date-time',
      description: 'When the oldest of those that are pending was accepted; null: none is.',
    }),
    complete: z.boolean().openapi({
      description:
        'False: very many are pending. stage and pending count the newest 10,000 only, and the oldest is looked for among the oldest and the newest 10,000.',
    }),
  })
  .openapi('ActionCounts');

const explanationSchema = z
  .object({
    summary: z.string().openapi({ description: 'The whole in one sentence.' }),
    sentences: z.array(
      z
        .object({
          about: z.enum(['operation', 'history', 'state', 'safety']),
          text: z.string(),
        })
        .openapi('ExplainedPart'),
    ),
    next: z
      .array(
        z
          .object({
            action: z.string(),
            request: z
              .object({ method: z.string(), path: z.string() })
              .openapi('SuggestedRequest')
              .nullable()
              .openapi({ description: 'Null: it is done elsewhere.' }),
            permission: z.string().nullable().openapi({ description: 'That the request needs; null: none.' }),
          })
          .openapi('SuggestedStep'),
      )
      .openapi({ description: 'What a person can do, best first.' }),
  })
  .openapi('ActionExplanation');

/** All actions that a caller may see. */
export function overviewRoutes(
  actions: Pick<Actions, 'overview' | 'describe' | 'counts'>,
  now: () => Promise<number>,
): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/actions',
      operationId: 'listActions',
      summary: 'List all actions',
      description:
        'All actions that the caller may see: of its project, and of all projects for who may read wallets on the whole installation. One request looks at a bounded number of actions, so that a page may be short, or empty, and yet have a next one.',
      service: 'ledger-operations',
      permission: read,
      query: z.strictObject({
        cursor: text(256).optional().openapi({ description: 'next of the page before.' }),
        size: z.coerce.number().int().min(1).max(100).default(20),
        status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']).optional(),
        order: z.enum(['newest', 'oldest']).default('newest').openapi({ description: 'Which come first.' }),
        stage: z
          .enum(['blocked', 'ready', 'signed'])
          .optional()
          .openapi({ description: 'Where it stands: only what is pending.' }),
        ledgerId: text(64).optional(),
        wallet: text(64).optional().openapi({ description: 'Id of the sending wallet.' }),
        project,
        tag: text(256, 0).optional(),
        intent: uuid().optional(),
        caller: text(256).optional().openapi({ description: 'serviceId of who sent it.' }),
        type: z.enum(['transfer', 'contract_call', 'contract_deploy']).optional(),
        contract: text(256)
          .optional()
          .openapi({ description: 'Id or address of a contract that is called, or was deployed.' }),
        from: instant().optional().openapi({ description: 'Created at or after this time.' }),
        to: instant().optional().openapi({ description: 'Created at or before this time.' }),
        reason: z
          // Its keys are the codes, and nothing else.
          .enum(Object.keys(pendingCodes) as PendingCode[])
          .optional()
          .openapi({ description: 'Why it is pending: a code of pending, as the counts have it.' }),
        pendingFor: z.coerce
          .number()
          .int()
          .min(0)
          .max(1_000_000_000)
          .optional()
          .openapi({ description: 'Only what has been pending for this many seconds or longer.' }),
      }),
      answers: {
        200: {
          description: 'A page of actions.',
          schema: z
            .object({
              actions: z.array(overviewSchema),
              next: z
                .string()
                .nullable()
                .openapi({ description: 'The cursor of the next page; null: there is none.' }),
            })
            .openapi('ActionOverviewPage'),
        },
      },
      problems: ['conflict'],
      async handle({ principal, query: { pendingFor, reason, status, ...query } }) {
        const ofPending = { stage: query.stage, reason, pendingFor };
        const [pointer] = Object.entries(ofPending).flatMap(([name, value]) =>
          value === undefined ? [] : [name],
        );
        if (pointer !== undefined && status !== undefined && status !== 'PENDING') {
          throw invalidRequest([{ pointer, detail: 'goes with the status PENDING only' }]);
        }
        const { items, next } = await actions.overview(principal, {
          ...query,
          status: pointer === undefined ? status : 'PENDING',
          code: reason,
          pendingSince: pendingFor === undefined ? undefined : (await now()) - pendingFor * 1_000,
        });
        return ok({ actions: items.map(overviewBody), next });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/actions/counts',
      operationId: 'countActions',
      summary: 'Count all actions',
      description:
        'How many actions the caller may see, by status, and by stage and reason of those that are pending.',
      service: 'ledger-operations',
      permission: read,
      query: z.strictObject({ project, ledgerId: text(64).optional() }),
      answers: { 200: { description: 'The numbers.', schema: countsSchema } },
      problems: ['conflict'],
      async handle({ principal, query }) {
        const { oldestPendingAt: oldest, ...numbers } = await actions.counts(principal, query);
        return ok({ ...numbers, oldestPendingAt: oldest === null ? null : rfc3339(oldest) });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/actions/{actionId}',
      operationId: 'describeAction',
      summary: 'Get an action with all that is kept of it',
      description:
        'One of the actions that are listed: what it did, its transactions with their times, what it depends on and what depends on it.',
      service: 'ledger-operations',
      permission: read,
      params: z.object({ actionId: pathId('Id of the action.') }),
      answers: { 200: { description: 'The action.', schema: detailsSchema } },
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(detailsBody(await actions.describe(principal, params.actionId))),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/actions/{actionId}/explain',
      operationId: 'explainAction',
      summary: 'Explain an action',
      description:
        'In English sentences for people: what the action is, what has happened and when, what it waits for or why it ended, whether it is safe, and what a person can do next, with the requests. Texts change; programs read codes.',
      service: 'ledger-operations',
      permission: read,
      params: z.object({ actionId: pathId('Id of the action.') }),
      answers: { 200: { description: 'The sentences.', schema: explanationSchema } },
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(explain(await actions.describe(principal, params.actionId))),
    }),
  ];
}
