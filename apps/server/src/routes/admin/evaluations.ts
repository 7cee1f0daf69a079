import { z } from '@hono/zod-openapi';
import { type Admin, evaluationRecord, permissionListing } from '@ledger-ops/auth';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { answered } from './answers.ts';
import { fields } from './fields.ts';

const service = 'resource-manager';
const prefix = '/v1/resource-manager';
const read = { needs: '<type>:read', on: 'record' } as const;
const resourcePath = z.object({ resourceId: fields.id.describe('resourceID or resourceUUID.') });

/** Evaluations of permissions (section 4.6). */
export function evaluationRoutes({ evaluations }: Admin): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${prefix}/permission-evaluations`,
      operationId: 'listPermissionsEvaluatorResults',
      summary: 'Whether the caller has permissions on resources',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ resource: fields.ids.min(1), permission: fields.ids.min(1) }),
      answers: answered(z.array(evaluationRecord)),
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        ok(await evaluations.list(principal, query.resource, query.permission)),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/permissions`,
      operationId: 'listPermissions',
      summary: 'What the caller holds on a resource',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ resource: fields.id }),
      answers: answered(permissionListing),
      problems: ['not-found'],
      handle: async ({ principal, query }) => ok(await evaluations.held(principal, query.resource)),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/resources/{resourceId}/has-permission`,
      operationId: 'identityOnAppHasPermissionOnResource',
      summary: 'Whether the caller has all of the permissions on a resource',
      service,
      permission: read,
      deprecated: true,
      params: resourcePath,
      query: z.object({ permission: fields.ids.min(1) }),
      answers: answered(z.boolean()),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(await evaluations.has(principal, params.resourceId, query.permission)),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/resources/{resourceId}/permission-evaluation`,
      operationId: 'getPermissionsEvaluatorResult',
      summary: 'Which of the permissions the caller lacks on a resource',
      service,
      permission: read,
      deprecated: true,
      params: resourcePath,
      query: z.object({ permissions: fields.ids.min(1).openapi({ example: ['wallet:transact'] }) }),
      answers: answered(evaluationRecord),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(await evaluations.evaluate(principal, params.resourceId, query.permissions)),
    }),
  ];
}
