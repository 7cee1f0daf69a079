import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import { ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from './answers.ts';
import { creation } from './creation.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { exampleIds, fields } from './fields.ts';
import {
  appRoleGrantBody,
  appRoleGrantSchema,
  meBody,
  meSchema,
  remainingAppGrantsBody,
  remainingAppGrantsSchema,
  remainingGrantsBody,
  remainingGrantsSchema,
  revokedAppRolesBody,
  revokedAppRolesSchema,
  revokedRolesBody,
  revokedRolesSchema,
  roleBody,
  roleGrantBody,
  roleGrantSchema,
  roleSchema,
} from './records.ts';

const service = 'administration';
const grantsPath = '/v1/admin/role-grants';
const read = { needs: '<type>:read', on: 'record' } as const;
const giving = { needs: '<type>:manage', on: 'record', gives: true } as const;
const managing = { needs: '<type>:manage', on: 'record' } as const;
const resourceId = fields.id.describe('resourceId or resourceUid.');

/** Roles, role assignments, and the caller's permissions. */
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
    summary: 'Get the caller’s identity',
    description:
      'Read the roles with `GET /v1/admin/role-grants?serviceId=…`, the visible projects with `GET /v1/admin/projects`.',
    service,
    permission: { needs: [], on: 'self' },
    answers: answered(meSchema),
    handle: async ({ principal }) => ok(meBody(await identities.current(principal))),
  });
}

function roleRoutes({ roles }: Admin): Route[] {
  const { answer, ...created } = creation(roleGrantSchema, roleGrantBody, ({ identity, resource }) => {
    const which = new URLSearchParams({ resourceId: resource.uid, serviceId: identity.serviceId });
    return `${grantsPath}?${which}`;
  });
  return [
    defineRoute({
      method: 'get',
      path: '/v1/admin/roles',
      operationId: 'adminListRoles',
      summary: 'List the available roles',
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
      summary: 'List the roles on a resource or of an identity',
      description:
        'Does not include roles inherited from parent resources. At least one parameter is required.',
      service,
      permission: read,
      query: z.strictObject({
        ...pageQuery,
        resourceId: resourceId.optional(),
        serviceId: fields.id.optional(),
      }),
      answers: answered(pageOfSchema('AdminRoleGrantPage', roleGrantSchema)),
      problems: ['not-found'],
      async handle({ principal, query: { resourceId, serviceId, ...page } }) {
        const paging = pagingOf(page);
        if (resourceId !== undefined) {
          const found = await roles.listOnResource(principal, { ...paging, resourceId, serviceId });
          return ok(pageOf(found, roleGrantBody));
        }
        if (serviceId === undefined)
          throw invalidRequest([{ pointer: 'resourceId', detail: 'is required, unless serviceId is given' }]);
        return ok(pageOf(await roles.listOfIdentity(principal, serviceId, paging), roleGrantBody));
      },
    }),
    defineRoute({
      method: 'post',
      path: grantsPath,
      operationId: 'adminGrantRole',
      summary: 'Grant an identity a role on a resource',
      service,
      permission: giving,
      body: jsonBody(z.strictObject({ serviceId: fields.id, resourceId, role: fields.name }), {
        serviceId: exampleIds.serviceId,
        resourceId: exampleIds.project,
        role: 'operator',
      }),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body, claim }) => answer(await roles.create(principal, body, claim)),
    }),
    defineRoute({
      method: 'delete',
      path: `${grantsPath}/{resourceId}/{serviceId}/{role}`,
      operationId: 'adminRevokeRole',
      summary: 'Revoke a role of an identity on a resource',
      service,
      permission: { needs: '<type>:manage', on: 'self' },
      description:
        'Roles of the identity on resources below this one remain, such as those on wallets and ledgers that it created, and so do open invitations and roles on parent resources. The response lists them; `DELETE /v1/admin/role-grants/{resourceId}/{serviceId}` revokes all of them except those on parent resources.',
      params: z.object({ resourceId, serviceId: fields.id, role: fields.name }),
      answers: {
        202: {
          description: 'Accepted. The role will be revoked shortly. The response lists the remaining roles.',
          schema: remainingGrantsSchema,
        },
      },
      problems: ['not-found', 'conflict'],
      async handle({ principal, params }) {
        const remaining = await roles.remove(principal, params.resourceId, params.serviceId, params.role);
        return { status: 202, body: remainingGrantsBody(remaining) };
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${grantsPath}/{resourceId}/{serviceId}`,
      operationId: 'adminRevokeAllRoles',
      summary: 'Revoke all roles of an identity on a resource and below it',
      service,
      permission: { needs: '<type>:manage', on: 'self' },
      description:
        'Open invitations of the identity no longer offer roles on the resource and below it. An invitation that then offers no role is canceled.',
      params: z.object({ resourceId, serviceId: fields.id }),
      answers: {
        202: {
          description: 'Accepted. The roles will be revoked shortly.',
          schema: revokedRolesSchema,
        },
      },
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params }) => ({
        status: 202,
        body: revokedRolesBody(await roles.removeAll(principal, params.resourceId, params.serviceId)),
      }),
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
      summary: 'Set the role of an application on a resource, replacing its former roles there',
      service,
      permission: giving,
      params: params.extend({ appId: fields.id }),
      body: jsonBody(z.strictObject({ role: fields.name }), { role: 'application' }),
      answers: answered(appRoleGrantSchema),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params: { resourceId, appId }, body: { role } }) =>
        ok(appRoleGrantBody(await roles.setAppRole(principal, resourceId, { appId, role }))),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{appId}/{role}`,
      operationId: 'adminRevokeAppRole',
      summary: 'Revoke a role of an application on a resource',
      service,
      permission: managing,
      description:
        'Roles of the application on resources below this one and on parent resources remain. The response lists them; `DELETE /v1/admin/app-role-grants/{resourceId}/{appId}` revokes all of them except those on parent resources.',
      params: params.extend({ appId: fields.id, role: fields.name }),
      answers: {
        202: {
          description: 'Accepted. The role will be revoked shortly. The response lists the remaining roles.',
          schema: remainingAppGrantsSchema,
        },
      },
      problems: ['not-found', 'conflict'],
      async handle({ principal, params: { resourceId, appId, role } }) {
        const remaining = await roles.removeAppRole(principal, resourceId, appId, role);
        return { status: 202, body: remainingAppGrantsBody(remaining) };
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{appId}`,
      operationId: 'adminRevokeAllAppRoles',
      summary: 'Revoke all roles of an application on a resource and below it',
      service,
      permission: managing,
      params: params.extend({ appId: fields.id }),
      answers: {
        202: { description: 'Accepted. The roles will be revoked shortly.', schema: revokedAppRolesSchema },
      },
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params }) => ({
        status: 202,
        body: revokedAppRolesBody(await roles.removeAppRoles(principal, params.resourceId, params.appId)),
      }),
    }),
  ];
}

function permissionCheckRoute({ evaluations }: Admin): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/admin/permission-check',
    operationId: 'adminCheckPermissions',
    summary: 'Check whether the caller has permissions on a resource',
    description: 'A request has the permissions that both the identity and the application have.',
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
    summary: 'List the permissions that an identity’s roles grant on a resource and above it',
    description:
      'For callers who may grant roles on the resource. Permissions of applications are not considered. Empty for an identity that is not enabled.',
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
