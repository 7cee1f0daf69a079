import { z } from '@hono/zod-openapi';
import { type Admin, appIdentityRoleRecord, resourceIdentityRoleRecord, roleRecord } from '@ledger-ops/auth';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered, createdAs } from './answers.ts';
import { exampleIds, fields, idIn, references } from './fields.ts';
import { resourceIdentityRolePage, rolePaging } from './listings.ts';

const service = 'resource-manager';
const prefix = '/v1/resource-manager';
const read = { needs: '<type>:read', on: 'record' } as const;
const giving = { needs: '<type>:manage', on: 'record', gives: true } as const;
const resourcePath = z.object({ resourceId: fields.id.describe('resourceID or resourceUUID.') });
const { identity, app, role, resource } = references;
const roleExample = { identity: { serviceId: exampleIds.serviceId }, role: { name: 'viewer' } };

/** Roles of identities and of applications (section 4.6). */
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
      handle: async ({ principal, query }) => ok(await grants.listAppIdentityRoles(principal, query.app)),
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/app-identity-roles`,
      operationId: 'createAppIdentityRole',
      summary: 'Give an identity a role on an application',
      service,
      permission: { ...giving, needs: 'app:manage' },
      deprecated: true,
      body: jsonBody(z.object({ identity, app, role }), { ...roleExample, app: { appId: 'shop' } }),
      ...createdAs(appIdentityRoleRecord),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body, claim }) =>
        created(
          await grants.createAppIdentityRole(
            principal,
            {
              identity: idIn(body.identity, 'serviceId', 'identifier'),
              app: idIn(body.app, 'appId', 'resourceUUID', 'resourceId'),
              role: idIn(body.role, 'name'),
            },
            claim,
          ),
        ),
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
      handle: async ({ principal, params }) => ok(await grants.listAppRoles(principal, params.resourceId)),
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
      body: jsonBody(z.object({ app, role }), { app: { appId: 'shop' }, role: { name: 'application' } }),
      answers: answered(appIdentityRoleRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params, body }) =>
        ok(
          await grants.setAppRole(principal, params.resourceId, {
            app: idIn(body.app, 'appId', 'resourceUUID', 'resourceId'),
            role: idIn(body.role, 'name'),
          }),
        ),
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
      answers: answered(resourceIdentityRolePage),
      problems: ['not-found'],
      handle: async ({ principal, query }) => ok(await grants.listOnResource(principal, query)),
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/resource-identity-roles`,
      operationId: 'createResourceIdentityRole',
      summary: 'Give an identity a role on a resource',
      service,
      permission: giving,
      deprecated: true,
      body: jsonBody(z.object({ identity, resource, role }), {
        ...roleExample,
        resource: { resourceUUID: exampleIds.project },
      }),
      ...createdAs(resourceIdentityRoleRecord),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body, claim }) =>
        created(
          await grants.create(
            principal,
            {
              identity: idIn(body.identity, 'serviceId', 'identifier'),
              resource: idIn(body.resource, 'resourceUUID', 'resourceID'),
              role: idIn(body.role, 'name'),
            },
            claim,
          ),
        ),
    }),
    defineRoute({
      method: 'delete',
      path: `${prefix}/resources/{resourceId}/identities/{serviceId}/roles/{name}`,
      operationId: 'deleteResourceIdentityRole',
      summary: 'Schedule the end of a role of an identity on a resource',
      service,
      permission: { needs: '<type>:manage', on: 'self' },
      deprecated: true,
      params: resourcePath.extend({ serviceId: fields.id, name: fields.name }),
      answers: { 202: { description: 'It was accepted, and happens soon.' } },
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
      summary: 'List the roles that there are',
      service,
      permission: { needs: 'project:read', on: 'project' },
      deprecated: true,
      query: z.object({
        names: z.array(fields.name).max(100).default([]),
        roleType: z.enum(['IDENTITY', 'APP']).optional(),
      }),
      answers: answered(z.array(roleRecord)),
      problems: ['not-found'],
      handle: async ({ query }) => ok(await grants.listRoles(query.names, query.roleType)),
    }),
  ];
}
