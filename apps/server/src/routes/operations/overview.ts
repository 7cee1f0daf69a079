import { z } from '@hono/zod-openapi';
import { invalidRequest } from '@ledger-ops/base';
import {
  type Actions,
  type PendingCode,
  pendingCodes,
  type SummaryRange,
  summaryRanges,
} from '@ledger-ops/runtime';
import { explain } from '../../explain/explain.ts';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { instant, pathId, text, uuid } from '../../http/schemas.ts';
import { rfc3339 } from '../../present/dates.ts';
import { detailsBody, detailsSchema, overviewBody, overviewSchema } from '../../present/overview.ts';
import { ledgerProblems } from '../ledger-problems.ts';

const read = { needs: 'wallet:read', on: 'record' } as const;
const project = text(256).optional().openapi({
  description:
    'Id or resourceUUID of a project. Only callers who see all actions may name a project other than their own. If projects of several organizations have the id, the response is 409.',
});
const count = z.number().int();
const countsSchema = z
  .object({
    status: z.object({ PENDING: count, SUCCEEDED: count, FAILED: count }),
    stage: z
      .object({ blocked: count, ready: count, signed: count })
      .openapi({ description: 'Pending actions by stage.' }),
    pending: z
      .record(z.string(), count)
      .openapi({ description: 'Pending actions by the code of their pending reason.' }),
    oldestPendingAt: z.string().nullable().openapi({
      format: 'date-time',
      description: 'When the oldest pending action was accepted; null if none is pending.',
    }),
    complete: z.boolean().openapi({
      description:
        'False if too many actions are pending to count them all. `stage` and `pending` then cover only the newest 10,000; `oldestPendingAt` covers only the oldest and the newest 10,000.',
    }),
  })
  .openapi('ActionCounts');

const summarySchema = z
  .object({
    from: z.string().openapi({ format: 'date-time', description: 'Start of the first span.' }),
    spanSeconds: count,
    spans: z
      .array(
        z
          .object({
            at: z.string().openapi({ format: 'date-time', description: 'Start of the span.' }),
            succeeded: count,
            failed: count,
            canceled: count,
          })
          .openapi('SummarySpan'),
      )
      .openapi({ description: 'Actions by the time of their completion, oldest first.' }),
    duration: z.object({ p50: count, p95: count }).nullable().openapi({
      description:
        'Milliseconds from acceptance to completion of succeeded actions, to within 9%; null if none succeeded.',
    }),
    fees: z
      .array(
        z
          .object({
            ledgerUid: z.string(),
            ledgerId: z.string(),
            amount: z.string().openapi({ description: 'In the ledger’s smallest unit.' }),
          })
          .openapi('SummaryFee'),
      )
      .openapi({ description: 'Fees paid in the period, by ledger, of the actions whose fee is known.' }),
  })
  .openapi('ActionSummary');

const emittedSchema = z
  .object({
    supported: z
      .boolean()
      .openapi({ description: 'False if the plugin of the ledger does not report contract events.' }),
    events: z.array(
      z
        .object({
          id: z.string().openapi({ description: 'Unique on the ledger.' }),
          name: z
            .string()
            .optional()
            .openapi({ description: 'Absent if the interface does not name the event.' }),
          args: z.record(z.string(), z.unknown()).optional().openapi({
            description: 'Arguments, decoded with the interface; absent if they could not be decoded.',
          }),
          raw: z.record(z.string(), z.unknown()).openapi({ description: 'In the ledger’s own format.' }),
          contentOmitted: z.literal(true).optional().openapi({
            description: '`args` and `raw` are too long to be shown; read the event on the ledger.',
          }),
        })
        .openapi('EmittedEvent'),
    ),
  })
  .openapi('EmittedEvents');

const explanationSchema = z
  .object({
    summary: z.string().openapi({ description: 'A summary in one sentence.' }),
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
              .openapi({ description: 'Null if the step is done outside this service.' }),
            permission: z.string().nullable().openapi({
              description: 'The permission that the request needs; null if the step needs none.',
            }),
          })
          .openapi('SuggestedStep'),
      )
      .openapi({ description: 'What a person can do, the best option first.' }),
  })
  .openapi('ActionExplanation');

/** Lists, details and counts of all actions that a caller may see. */
export function overviewRoutes(
  actions: Pick<Actions, 'overview' | 'describe' | 'counts' | 'summary' | 'emittedEvents'>,
  now: () => Promise<number>,
): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/actions',
      operationId: 'listActions',
      summary: 'List all actions',
      description:
        'Returns the actions of the caller’s project that the caller may see, or of all projects if the caller may read wallets on the whole installation. One request reads a limited number of actions, so even a short or empty page may have a `next` page.',
      service: 'ledger-operations',
      permission: read,
      query: z.strictObject({
        cursor: text(256).optional().openapi({ description: 'The value of `next` in the previous page.' }),
        size: z.coerce.number().int().min(1).max(100).default(20),
        status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED']).optional().openapi({
          description:
            '`CANCELED`: the actions with status `FAILED` that a caller canceled; `FAILED` includes them.',
        }),
        order: z.enum(['newest', 'oldest']).default('newest').openapi({ description: 'The sort order.' }),
        stage: z
          .enum(['blocked', 'ready', 'signed'])
          .optional()
          .openapi({ description: 'Stage of a pending action.' }),
        ledgerId: text(64).optional(),
        wallet: text(64).optional().openapi({ description: 'Id of the sending wallet.' }),
        project,
        tag: text(256, 0).optional(),
        intent: uuid().optional(),
        caller: text(256)
          .optional()
          .openapi({ description: 'serviceId of the person or service account that sent the action.' }),
        type: z.enum(['transfer', 'contract_call', 'contract_deploy']).optional(),
        contract: text(256)
          .optional()
          .openapi({ description: 'Id or address of a called or deployed contract.' }),
        from: instant().optional().openapi({ description: 'Created at or after this time.' }),
        to: instant().optional().openapi({ description: 'Created at or before this time.' }),
        reason: z
          // The keys of pendingCodes are exactly the codes.
          .enum(Object.keys(pendingCodes) as PendingCode[])
          .optional()
          .openapi({ description: 'Code of the pending reason.' }),
        pendingFor: z.coerce
          .number()
          .int()
          .min(0)
          .max(1_000_000_000)
          .optional()
          .openapi({ description: 'Only actions that have been pending for at least this many seconds.' }),
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
                .openapi({ description: 'The cursor of the next page; null on the last page.' }),
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
          throw invalidRequest([{ pointer, detail: 'requires the status PENDING' }]);
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
        'Number of actions that the caller may see, by status and, for pending actions, by stage and reason.',
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
      path: '/v1/ledger-ops/actions/summary',
      operationId: 'summarizeActions',
      summary: 'Summarize finished actions',
      description:
        'Throughput, failures, time to completion and fees in a recent period, for the caller’s project, or for all projects if the caller may read wallets on the whole installation.',
      service: 'ledger-operations',
      permission: { needs: 'wallet:read', on: 'project' },
      query: z.strictObject({
        range: z.enum(Object.keys(summaryRanges) as SummaryRange[]).default('24h'),
      }),
      answers: { 200: { description: 'The summary.', schema: summarySchema } },
      problems: ['not-found'],
      async handle({ principal, query }) {
        const { from, spanMs, spans, duration, fees } = await actions.summary(principal, query.range);
        return ok({
          from: rfc3339(from),
          spanSeconds: spanMs / 1_000,
          spans: spans.map((one) => ({ ...one, at: rfc3339(one.at) })),
          duration,
          fees: fees.map((one) => ({ ...one, amount: String(one.amount) })),
        });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/actions/{actionId}',
      operationId: 'describeAction',
      summary: 'Get an action with all details',
      description:
        'The operation, transactions with their times, dependencies and dependents of an action in the list.',
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
      path: '/v1/ledger-ops/actions/{actionId}/contract-events',
      operationId: 'listActionContractEvents',
      contacts: ['ledger'],
      summary: 'List the contract events of an action',
      description:
        'Events that the called or deployed contract emitted in the action’s transaction, read from the ledger and decoded with the interface of the registered contract. Empty unless the action has SUCCEEDED. At most the first 500 events of the contract in the block are searched.',
      service: 'ledger-operations',
      permission: read,
      params: z.object({ actionId: pathId('Id of the action.') }),
      answers: { 200: { description: 'The events.', schema: emittedSchema } },
      problems: ['not-found', 'unsupported-operation', ...ledgerProblems],
      handle: async ({ principal, params }) => ok(await actions.emittedEvents(principal, params.actionId)),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/actions/{actionId}/explain',
      operationId: 'explainAction',
      summary: 'Explain an action',
      description:
        'Explains in English what the action does, what has happened to it, what it waits for or why it completed, whether it can be lost or executed twice, and which requests can help next. Texts may change; programs should use codes.',
      service: 'ledger-operations',
      permission: read,
      params: z.object({ actionId: pathId('Id of the action.') }),
      answers: { 200: { description: 'The sentences.', schema: explanationSchema } },
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(explain(await actions.describe(principal, params.actionId), await now())),
    }),
  ];
}
