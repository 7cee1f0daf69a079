import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import { ok } from '../../http/answer.ts';
import { withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { exampleIds, fields } from '../admin/fields.ts';
import { creation } from './creation.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import {
  appRoleGrantBody,
  appRoleGrantSchema,
  meBody,
  meSchema,
  roleBody,
  roleGrantBody,
  roleGrantSchema,
  roleSchema,
} from './records.ts';

const service = 'administration';
const grantsPath = '/v1/admin/role-grants';
const read = { needs: '<type>:read', on: 'record' } as const;
const giving = { needs: '<type>:manage', on: 'record', gives: true } as const;
const resourceId = fields.id.describe('resourceId or resourceUid.');
const pointers = [
  ['/identity', '/serviceId'],
  ['/resource', '/resourceId'],
  ['/app', '/appId'],
] as const;

/** Roles, who holds them on what, and what the caller may do. */
export function accessRoutes(admin: Admin): Route[] {
  return [
    meRoute(admin),
    ...roleRoutes(admin),
    ...appRoleRoutes(admin),
    permissionCheckRoute(admin),
    identityPermissionsRoute(admin),
  ];
}

function meRoute({ identities }: Admin): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/admin/me',
    operationId: 'adminGetMe',
    summary: 'Get who the caller is',
    description:
      'Its roles are `GET /v1/admin/role-grants?serviceId=…`, the projects that it may see `GET /v1/admin/projects`.',
    service,
    permission: { needs: [], on: 'self' },
    answers: answered(meSchema),
    handle: async ({ principal }) => ok(meBody(await identities.current(principal))),
  });
}

function roleRoutes({ roles }: Admin): Route[] {
  const { answer, ...created } = creation(roleGrantSchema, roleGrantBody, ({ identity, resource }) => {
    const which = new URLSearchParams({ resourceId: resource.resourceUUID, serviceId: identity.serviceId });
    return `${grantsPath}?${which}`;
  });
  return [
    defineRoute({
      method: 'get',
      path: '/v1/admin/roles',
      operationId: 'adminListRoles',
      summary: 'List the roles that there are',
      service,
      permission: { needs: 'project:read', on: 'project' },
      answers: answered(z.object({ items: z.array(roleSchema) }).openapi('AdminRoles')),
      problems: ['not-found'],
      handle: async () => ok({ items: (await roles.listRoles([])).map(roleBody) }),
    }),
    defineRoute({
      method: 'get',
      path: grantsPath,
      operationId: 'adminListRoleGrants',
      summary: 'List the roles on a resource, or of an identity',
      description: 'Without what is inherited from the resources above. Of the two at least one is named.',
      service,
      permission: read,
      query: z.strictObject({
        ...pageQuery,
        resourceId: resourceId.optional(),
        serviceId: fields.id.optional(),
      }),
      answers: answered(pageOfSchema('AdminRoleGrantPage', roleGrantSchema)),
      problems: ['not-found'],
      async handle({ principal, query: { resourceId: resource, serviceId: identity, ...page } }) {
        const paging = pagingOf(page);
        if (resource !== undefined)
          return ok(
            pageOf(await roles.listOnResource(principal, { ...paging, resource, identity }), roleGrantBody),
          );
        if (identity === undefined)
          throw invalidRequest([{ pointer: 'resourceId', detail: 'or serviceId is required' }]);
        return ok(pageOf(await roles.listOfIdentity(principal, identity, paging), roleGrantBody));
      },
    }),
    defineRoute({
      method: 'post',
      path: grantsPath,
      operationId: 'adminGrantRole',
      summary: 'Give an identity a role on a resource',
      service,
      permission: giving,
      body: jsonBody(z.strictObject({ serviceId: fields.id, resourceId, role: fields.name }), {
        ...{ serviceId: exampleIds.serviceId, resourceId: exampleIds.project, role: 'operator' },
      }),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: ({ principal, body: { serviceId: identity, resourceId: resource, role }, claim }) =>
        withPointers(pointers, async () =>
          answer(await roles.create(principal, { identity, resource, role }, claim)),
        ),
    }),
    defineRoute({
      method: 'delete',
      path: `${grantsPath}/{resourceId}/{serviceId}/{role}`,
      operationId: 'adminRevokeRole',
      summary: 'Take a role of an identity on a resource back',
      service,
      permission: { needs: '<type>:manage', on: 'self' },
      params: z.object({ resourceId, serviceId: fields.id, role: fields.name }),
      answers: { 202: { description: 'It was accepted, and happens soon.' } },
      problems: ['not-found', 'conflict'],
      async handle({ principal, params }) {
        await roles.remove(principal, params.resourceId, params.serviceId, params.role);
        return { status: 202 };
      },
    }),
  ];
}

function appRoleRoutes({ roles }: Admin): Route[] {
  const params = z.object({ resourceId });
  const path = '/v1/admin/app-role-grants/{resourceId}';
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'adminListAppRoleGrants',
      summary: 'List the roles of applications on a resource',
      service,
      permission: read,
      params,
      answers: answered(z.object({ items: z.array(appRoleGrantSchema) }).openapi('AdminAppRoleGrants')),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok({ items: (await roles.listAppRoles(principal, params.resourceId)).map(appRoleGrantBody) }),
    }),
    defineRoute({
      method: 'put',
      path: `${path}/{appId}`,
      operationId: 'adminSetAppRole',
      summary: 'Give an application this role on a resource, in place of those that it held there',
      service,
      permission: giving,
      params: params.extend({ appId: fields.id }),
      body: jsonBody(z.strictObject({ role: fields.name }), { role: 'application' }),
      answers: answered(appRoleGrantSchema),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params: { resourceId, appId: app }, body: { role } }) =>
        ok(appRoleGrantBody(await roles.setAppRole(principal, resourceId, { app, role }))),
    }),
  ];
}

function permissionCheckRoute({ evaluations }: Admin): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/admin/permission-check',
    operationId: 'adminCheckPermissions',
    summary: 'Whether the caller has permissions on a resource',
    description: 'A caller may what both the roles of its identity and those of its application grant.',
    service,
    permission: read,
    query: z.strictObject({
      resourceId,
      permissions: fields.ids.min(1).openapi({ example: ['wallet:transact'] }),
    }),
    answers: answered(
      z
        .object({
          allowed: z.boolean(),
          missingOfIdentity: z.array(z.string()),
          missingOfApp: z.array(z.string()),
        })
        .openapi('AdminPermissionCheck'),
    ),
    problems: ['not-found'],
    async handle({ principal, query: { resourceId, permissions } }) {
      const found = await evaluations.evaluate(principal, resourceId, permissions);
      return ok({
        allowed: found.result,
        missingOfIdentity: found.missingResourcePermissions,
        missingOfApp: found.missingAppPermissions,
      });
    },
  });
}

function identityPermissionsRoute({ evaluations }: Admin): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/admin/identity-permissions',
    operationId: 'adminListIdentityPermissions',
    summary: 'List what the roles of an identity grant on a resource, and above it',
    description:
      'For who gives roles there. A request may what the roles of its application grant, too: they are not asked here. Of an identity that is not enabled the list is empty.',
    service,
    permission: { needs: '<type>:manage', on: 'record' },
    query: z.strictObject({ resourceId, serviceId: fields.id }),
    answers: answered(
      z
        .object({ serviceId: z.string(), resourceUid: z.string(), permissions: z.array(z.string()) })
        .openapi('AdminIdentityPermissions'),
    ),
    problems: ['not-found', 'conflict'],
    handle: async ({ principal, query }) =>
      ok(await evaluations.ofIdentity(principal, query.serviceId, query.resourceId)),
  });
}
