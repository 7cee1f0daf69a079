import { z } from '@hono/zod-openapi';
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
    reason: text(256).openapi({ description: 'Why; whoever may see its actions reads it.' }),
  })
  .refine((body) => kinds.filter((kind) => body[`${kind}Id`] !== undefined).length === 1, {
    error: 'must have exactly one of ledgerId, walletId, projectId',
  })
  .openapi('SuspensionBody');

const suspensionSchema = z
  .object({
    suspensionId: z.string(),
    ...subject,
    reason: z.string(),
    createdBy: z.string().nullable().openapi({
      description: 'serviceId of who suspended it. Of a ledger for those alone who may resume it; else null.',
    }),
    createdAt: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('Suspension');

const example = {
  suspensionId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11',
  walletId: 'payer',
  reason: 'Its password may be known to others.',
  createdBy: 'alice@example.com',
  createdAt: '2026-11-20T12:30:05.000Z',
};
const read = { needs: ['ledger:read', 'wallet:read', 'project:read'], on: 'record' } as const;
const change = { needs: ['ledger:update', 'wallet:update', 'project:update'], on: 'record' } as const;
const params = z.object({ suspensionId: pathId('Id of the suspension.') });
const service = 'ledger-operations';

/** Holding actions of a ledger, a wallet or a project back. */
export function suspensionRoutes(suspensions: Suspensions): Route[] {
  return [
    defineRoute({
      method: 'post',
      path,
      operationId: 'suspend',
      summary: 'Suspend a ledger, a wallet or a project',
      description:
        'From its answer on nothing is signed for it. Operations are still accepted, and wait with those that wait already; `pending` says so. What is signed is still sent and followed to its end, replaced where it is late, and can be cancelled. Deadlines go on. A ledger needs `ledger:update`, a wallet `wallet:update`, a project `project:update`.',
      service,
      permission: change,
      body: jsonBody(bodySchema, { walletId: example.walletId, reason: example.reason }),
      // Stored by the runtime, which gives it to the handler, too.
      creates: { present: (stored: unknown) => suspensionBody(stored as SuspensionView) },
      answers: { 201: { description: 'It is suspended.', schema: suspensionSchema, example } },
      problems: ['not-found', 'already-exists', 'conflict'],
      async handle({ principal, body, claim }) {
        const named = kinds.flatMap((kind) => {
          const name = body[`${kind}Id`];
          return name === undefined ? [] : [{ kind, name, pointer: `/${kind}Id` }];
        });
        const [one = { kind: 'wallet', name: '', pointer: '' } as const] = named;
        const suspension = await suspensions.suspend(principal, { ...one, reason: body.reason }, claim);
        return created(suspensionBody(suspension));
      },
    }),
    defineRoute({
      method: 'get',
      path,
      operationId: 'listSuspensions',
      summary: 'List what is suspended',
      description: 'As far as the caller may see what is suspended, newest first.',
      service,
      permission: read,
      query: z.strictObject({
        cursor: text(256).optional().openapi({ description: 'next of the page before.' }),
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
                .openapi({ description: 'The cursor of the next page; null: there is none.' }),
            })
            .openapi('SuspensionPage'),
        },
      },
      async handle({ principal, query: { cursor, size } }) {
        const { items, next } = await suspensions.list(principal, { after: cursor, size });
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
      summary: 'Resume what is suspended',
      description: 'Its actions go on in the order of their acceptance.',
      service,
      permission: change,
      params,
      answers: { 204: { description: 'It is suspended no more.' } },
      problems: ['not-found'],
      async handle({ principal, params: { suspensionId } }) {
        await suspensions.resume(principal, suspensionId);
        return noContent;
      },
    }),
  ];
}

function suspensionBody({ kind, name, createdAt, suspensionId, reason, createdBy }: SuspensionView) {
  return { suspensionId, [`${kind}Id`]: name, reason, createdBy, createdAt: rfc3339(createdAt) };
}
