import { z } from '@hono/zod-openapi';
import { invalidRequest } from '@ledger-ops/base';
import type { Suspensions, SuspensionView } from '@ledger-ops/runtime';
import { created, noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import { rfc3339 } from '../../present/dates.ts';

const path = '/v1/ledger-ops/suspensions';
const kinds = ['ledger', 'wallet', 'project'] as const;
const subject = {
  ledgerId: text(256).optional(),
  walletId: text(256).optional(),
  projectId: text(256).optional(),
};

const bodySchema = z
  .strictObject({
    ...subject,
    reason: text(256).openapi({
      description: 'The reason, visible to everyone who sees the suspended actions.',
    }),
  })
  .refine((body) => kinds.filter((kind) => body[`${kind}Id`] !== undefined).length === 1, {
    error: 'must contain exactly one of ledgerId, walletId, projectId',
  })
  .openapi('SuspensionBody');

const suspensionSchema = z
  .object({
    suspensionId: z.string(),
    ...subject,
    reason: z.string(),
    createdBy: z.string().nullable().openapi({
      description:
        'serviceId of the person who suspended it; `ledger-ops` if the service did. For a ledger, only callers who may resume it see this; for others it is null.',
    }),
    createdAt: z.string().openapi({ format: 'date-time' }),
    cause: z.enum(['unknown-transactions']).nullable().openapi({
      description:
        '`unknown-transactions`: the wallet has transactions that are on the ledger but not in the service’s database. Null if a person suspended it, or if a standby of the database was promoted.',
    }),
  })
  .openapi('Suspension');

const example = {
  suspensionId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11',
  walletId: 'payer',
  reason: 'The password of the wallet may be known to others.',
  createdBy: 'alice@example.com',
  createdAt: '2026-11-20T12:30:05.000Z',
  cause: null,
};
const read = { needs: ['ledger:read', 'wallet:read', 'project:read'], on: 'record' } as const;
const change = { needs: ['ledger:update', 'wallet:update', 'project:update'], on: 'record' } as const;
const params = z.object({ suspensionId: pathId('Id of the suspension.') });
const service = 'ledger-operations';

/** Routes that suspend and resume the actions of a ledger, wallet or project. */
export function suspensionRoutes(suspensions: Suspensions): Route[] {
  return [
    defineRoute({
      method: 'post',
      path,
      operationId: 'suspend',
      summary: 'Suspend a ledger, a wallet or a project',
      description:
        'Once the response is sent, nothing is signed for the suspended record. Operations are still accepted, but they and all pending actions wait, and their `pending` shows the reason. Signed transactions are still sent, tracked, and replaced if late, and can be canceled. Deadlines still apply. Suspending a ledger needs `ledger:update`, a wallet `wallet:update`, a project `project:update`.',
      service,
      permission: change,
      body: jsonBody(bodySchema, { walletId: example.walletId, reason: example.reason }),
      // The stored value is the suspension, which the runtime also returns to the handler.
      creates: { present: (stored: unknown) => suspensionBody(stored as SuspensionView) },
      answers: { 201: { description: 'Suspended.', schema: suspensionSchema, example } },
      problems: ['not-found', 'already-exists', 'conflict'],
      async handle({ principal, body, claim }) {
        const [one = { kind: 'wallet', name: '', pointer: '' } as const] = namedBy(body, '/');
        const suspension = await suspensions.suspend(principal, { ...one, reason: body.reason }, claim);
        return created(suspensionBody(suspension));
      },
    }),
    defineRoute({
      method: 'get',
      path,
      operationId: 'listSuspensions',
      summary: 'List suspensions',
      description:
        'Suspensions of the project and of ledgers that all projects use, newest first. Callers with `system:read` get those of all projects. `ledgerId`, `walletId` or `projectId` selects the suspension of one record, which may belong to another project that the caller can see.',
      service,
      permission: read,
      query: z.strictObject({
        ...subject,
        cursor: text(256).optional().openapi({ description: 'The value of `next` in the previous page.' }),
        size: z.coerce.number().int().min(1).max(100).default(20),
      }),
      answers: {
        200: {
          description: 'A page of suspensions.',
          schema: z
            .object({
              suspensions: z.array(suspensionSchema),
              next: z
                .string()
                .nullable()
                .openapi({ description: 'The cursor of the next page; null on the last page.' }),
            })
            .openapi('SuspensionPage'),
        },
      },
      problems: ['not-found', 'conflict'],
      async handle({ principal, query: { cursor, size, ...named } }) {
        const [of, other] = namedBy(named, '');
        if (other !== undefined)
          throw invalidRequest([
            {
              pointer: other.pointer,
              detail: `cannot be combined with ${of?.pointer}; leave one of them out`,
            },
          ]);
        const { items, next } = await suspensions.list(principal, { after: cursor, size, of });
        return ok({ suspensions: items.map(suspensionBody), next });
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{suspensionId}`,
      operationId: 'getSuspension',
      summary: 'Get a suspension',
      service,
      permission: read,
      params,
      answers: { 200: { description: 'The suspension.', schema: suspensionSchema, example } },
      problems: ['not-found'],
      handle: async ({ principal, params: { suspensionId } }) =>
        ok(suspensionBody(await suspensions.get(principal, suspensionId))),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{suspensionId}`,
      operationId: 'resume',
      contacts: ['ledger'],
      summary: 'Resume a suspended ledger, wallet or project',
      description:
        'Pending actions continue in the order in which they were accepted. A wallet with unknown transactions (`listUnknownTransactions`) can be resumed only when every pending action that they may have executed is resolved: marked as executed (`markExecuted`), canceled, or released (`releaseAction`). Otherwise the response is 409 `possibly-executed`, and `matches` lists up to 100 pairs of action and transaction. Resuming treats the remaining unknown transactions as sent by another program.',
      service,
      permission: change,
      params,
      answers: { 204: { description: 'Resumed.' } },
      problems: ['not-found', 'possibly-executed', 'conflict'],
      async handle({ principal, params: { suspensionId } }) {
        await suspensions.resume(principal, suspensionId);
        return noContent;
      },
    }),
  ];
}

/**
 * Returns the records that a request names, with the pointers of the members that name them.
 * @param prefix of these pointers
 */
function namedBy(
  request: { [Kind in (typeof kinds)[number] as `${Kind}Id`]?: string | undefined },
  prefix: '' | '/',
) {
  return kinds.flatMap((kind) => {
    const name = request[`${kind}Id`];
    return name === undefined ? [] : [{ kind, name, pointer: `${prefix}${kind}Id` }];
  });
}

function suspensionBody(view: SuspensionView) {
  const { kind, name, createdAt, suspensionId, reason, createdBy, cause } = view;
  return { suspensionId, [`${kind}Id`]: name, reason, createdBy, createdAt: rfc3339(createdAt), cause };
}
