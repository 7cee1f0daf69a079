import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { exampleIds, fields } from '../admin/fields.ts';
import { createdAs } from './answers.ts';
import { resourceIdentityRolePage, rolePaging } from './listings.ts';
import {
  appIdentityRole,
  appIdentityRoleRecord,
  resourceIdentityRole,
  resourceIdentityRoleRecord,
  role,
  roleRecord,
} from './records.ts';
import { idIn, referencePointers, references } from './references.ts';

const service = 'resource-manager';
const prefix = '/v1/resource-manager';
const read = { needs: '<type>:read', on: 'record' } as const;
const giving = { needs: '<type>:manage', on: 'record', gives: true } as const;
const resourcePath = z.object({ resourceId: fields.id.describe('resourceID or resourceUUID.') });
const roleExample = { identity: { serviceId: exampleIds.serviceId }, role: { name: 'viewer' } };

/** Roles of identities and of applications (specification, section 4.6). */
export function roleRoutes({ roles: grants }: Admin): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${prefix}/app-identity-roles`,
      operationId: 'listAppIdentityRoles',
      summary: 'List the roles of identities on an application',
      service,
      permission: { needs: 'app:read', on: 'record' },
      deprecated: true,
      query: z.object({ app: fields.id }),
      answers: answered(z.array(appIdentityRoleRecord)),
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        ok((await grants.listAppIdentityRoles(principal, query.app)).map(appIdentityRole.present)),
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/app-identity-roles`,
      operationId: 'createAppIdentityRole',
      summary: 'Grant an identity a role on an application',
      service,
      permission: { ...giving, needs: 'app:manage' },
      deprecated: true,
      body: jsonBody(
        z.object({ identity: references.identity, app: references.app, role: references.role }),
        { ...roleExample, app: { appId: 'shop' } },
      ),
      ...createdAs(appIdentityRoleRecord, appIdentityRole.present),
      pointers: referencePointers,
      problems: ['not-found', 'conflict', 'already-exists'],
      async handle({ principal, body: { identity, app, role }, claim }) {
        const input = {
          serviceId: idIn(identity, 'serviceId', 'identifier'),
          appId: idIn(app, 'appId', 'resourceUUID', 'resourceId'),
          role: idIn(role, 'name'),
        };
        return created(appIdentityRole.present(await grants.createAppIdentityRole(principal, input, claim)));
      },
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/resources/{resourceId}/app-roles`,
      operationId: 'listAppRoles',
      summary: 'List the roles of applications on a resource',
      service,
      permission: read,
      deprecated: true,
      params: resourcePath,
      answers: answered(z.array(appIdentityRoleRecord)),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok((await grants.listAppRoles(principal, params.resourceId)).map(appIdentityRole.present)),
    }),
    defineRoute({
      method: 'put',
      path: `${prefix}/resources/{resourceId}/app-roles`,
      operationId: 'setAppRole',
      summary: 'Set the role of an application on a resource',
      service,
      permission: giving,
      deprecated: true,
      params: resourcePath,
      body: jsonBody(z.object({ app: references.app, role: references.role }), {
        app: { appId: 'shop' },
        role: { name: 'application' },
      }),
      answers: answered(appIdentityRoleRecord),
      problems: ['not-found', 'conflict'],
      pointers: referencePointers,
      async handle({ principal, params, body: { app, role } }) {
        const input = {
          appId: idIn(app, 'appId', 'resourceUUID', 'resourceId'),
          role: idIn(role, 'name'),
        };
        return ok(appIdentityRole.present(await grants.setAppRole(principal, params.resourceId, input)));
      },
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/resource-identity-roles`,
      operationId: 'listResourceIdentityRoles',
      summary: 'List the roles of an identity on a resource',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ resource: fields.id, identity: fields.id, ...rolePaging }),
      answers: resourceIdentityRolePage.answers,
      problems: ['not-found'],
      async handle({ principal, query: { resource: resourceId, identity: serviceId, ...query } }) {
        const found = await grants.listOnResource(principal, { ...query, resourceId, serviceId });
        return resourceIdentityRolePage.answer(query, found, resourceIdentityRole.present);
      },
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/resource-identity-roles`,
      operationId: 'createResourceIdentityRole',
      summary: 'Grant an identity a role on a resource',
      service,
      permission: giving,
      deprecated: true,
      body: jsonBody(
        z.object({ identity: references.identity, resource: references.resource, role: references.role }),
        {
          ...roleExample,
          resource: { resourceUUID: exampleIds.project },
        },
      ),
      ...createdAs(resourceIdentityRoleRecord, resourceIdentityRole.present),
      pointers: referencePointers,
      problems: ['not-found', 'conflict', 'already-exists'],
      async handle({ principal, body: { identity, resource, role }, claim }) {
        const input = {
          serviceId: idIn(identity, 'serviceId', 'identifier'),
          resourceId: idIn(resource, 'resourceUUID', 'resourceID'),
          role: idIn(role, 'name'),
        };
        return created(resourceIdentityRole.present(await grants.create(principal, input, claim)));
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${prefix}/resources/{resourceId}/identities/{serviceId}/roles/{name}`,
      operationId: 'deleteResourceIdentityRole',
      summary: 'Revoke a role of an identity on a resource',
      service,
      permission: { needs: '<type>:manage', on: 'self' },
      deprecated: true,
      params: resourcePath.extend({ serviceId: fields.id, name: fields.name }),
      answers: { 202: { description: 'Accepted. The role will be revoked shortly.' } },
      problems: ['not-found', 'conflict'],
      async handle({ principal, params }) {
        await grants.remove(principal, params.resourceId, params.serviceId, params.name);
        return { status: 202 };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/roles`,
      operationId: 'listRoles',
      summary: 'List the available roles',
      service,
      permission: { needs: 'project:read', on: 'project' },
      deprecated: true,
      query: z.object({
        names: z.array(fields.name).max(100).default([]),
        roleType: z.enum(['IDENTITY', 'APP']).optional(),
      }),
      answers: answered(z.array(roleRecord)),
      problems: ['not-found'],
      handle: async ({ query }) =>
        ok((await grants.listRoles(query.names, query.roleType)).map(role.present)),
    }),
  ];
}
