import { z } from '@hono/zod-openapi';
import type { Admin, EvaluationView, Principal } from '@ledger-ops/auth';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { fields } from '../admin/fields.ts';

const service = 'resource-manager';
const prefix = '/v1/resource-manager';
const read = { needs: '<type>:read', on: 'record' } as const;
const resourcePath = z.object({ resourceId: fields.id.describe('resourceID or resourceUUID.') });

const identity = z.object({ serviceId: z.string() });
const evaluationRecord = z
  .object({
    identity,
    appId: z.string(),
    missingAppPermissions: z.array(z.string()),
    missingResourcePermissions: z.array(z.string()),
    resourceId: z.string(),
    result: z.boolean(),
  })
  .meta({ id: 'PermissionEvaluatorResult' });
const permissionListing = z
  .object({
    identity,
    identityPermissions: z.array(z.string()),
    appPermissions: z.array(z.string()),
    resourceID: z.string(),
  })
  .meta({ id: 'PermissionListing' });

const ofCaller = ({ serviceId, appId }: Principal) => ({ identity: { serviceId }, appId });
const evaluation = (principal: Principal, view: EvaluationView) => ({ ...ofCaller(principal), ...view });

/** Checks of a caller's permissions (specification, section 4.6). */
export function evaluationRoutes({ evaluations }: Admin): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${prefix}/permission-evaluations`,
      operationId: 'listPermissionsEvaluatorResults',
      summary: 'Check whether the caller has permissions on resources',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ resource: fields.ids.min(1), permission: fields.ids.min(1) }),
      answers: answered(z.array(evaluationRecord)),
      problems: ['not-found'],
      async handle({ principal, query }) {
        const found = await evaluations.list(principal, query.resource, query.permission);
        return ok(found.map((view) => evaluation(principal, view)));
      },
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/permissions`,
      operationId: 'listPermissions',
      summary: 'Get the caller’s permissions on a resource',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ resource: fields.id }),
      answers: answered(permissionListing),
      problems: ['not-found'],
      async handle({ principal, query }) {
        const { resourceId, ...held } = await evaluations.held(principal, query.resource);
        return ok({ identity: { serviceId: principal.serviceId }, ...held, resourceID: resourceId });
      },
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/resources/{resourceId}/has-permission`,
      operationId: 'identityOnAppHasPermissionOnResource',
      summary: 'Check whether the caller has all of the permissions on a resource',
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
      summary: 'Get the permissions that the caller lacks on a resource',
      service,
      permission: read,
      deprecated: true,
      params: resourcePath,
      query: z.object({ permissions: fields.ids.min(1).openapi({ example: ['wallet:transact'] }) }),
      answers: answered(evaluationRecord),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(
          evaluation(principal, await evaluations.evaluate(principal, params.resourceId, query.permissions)),
        ),
    }),
  ];
}
