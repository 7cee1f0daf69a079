import { pageSchema, pagingParameters } from '@ledger-ops/base';
import { z } from 'zod';
import { resourceTypes } from '../../types.ts';
import { appIdentityPropertyRecord } from '../app-properties.ts';
import type { Admin } from '../create-admin.ts';
import { evaluationRecord, permissionListing } from '../evaluations.ts';
import { fields, idIn, references, resourceIdFilter } from '../fields.ts';
import { identitySortKeys } from '../identities.ts';
import { type AdminOperation, defineOperation } from '../operation.ts';
import {
  appIdentityRoleRecord,
  identityRecord,
  resourceIdentityRoleRecord,
  resourceRecord,
  roleRecord,
} from '../records.ts';
import { creatableTypes, lookupTermRecord, resourceSortKeys } from '../resources.ts';
import { roleSortKeys } from '../role-grants.ts';

const service = 'resource-manager';
const prefix = '/v1/resource-manager';
const read = { needs: '<type>:read', on: 'record' } as const;
const giving = { needs: '<type>:manage', on: 'record', gives: true } as const;

const resourcePath = z.object({ resourceId: fields.id.describe('resourceID or resourceUUID.') });
const typePath = z.object({ type: z.enum(resourceTypes) });
/** How resources are filtered, everywhere. */
export const resourceFilters = {
  resourceId: resourceIdFilter,
  project: z.string().max(320).optional().describe('Those of this project.'),
  organization: z.string().max(320).optional().describe('Those of this organization.'),
};
const termFilters = {
  lookupTerm: z.array(fields.name).max(100).default([]),
  lookupTermStrategy: z.enum(['AND', 'OR']).default('OR').describe('Whether all terms must fit, or one.'),
};
const resourceQuery = z.object({
  ...resourceFilters,
  ...termFilters,
  ...pagingParameters(resourceSortKeys),
});
/** A page of resources. */
export const resourcePage = pageSchema('ResourcePage', resourceRecord);
/** A page of roles of identities. */
export const resourceIdentityRolePage = pageSchema('ResourceIdentityRolePage', resourceIdentityRoleRecord);
/** A page of identities. */
export const identityPage = pageSchema('IdentityPage', identityRecord);

const { identity, app, role, resource } = references;
const properties = z
  .record(fields.name, fields.value)
  .refine((map) => Object.keys(map).length <= 64, 'must have at most 64 members');

/** The resource and permission manager (section 4.6). */
export function resourceManagerOperations(admin: Admin): AdminOperation[] {
  return [...evaluating(admin), ...resources(admin), ...roles(admin), ...appsAndIdentities(admin)];
}

function evaluating({ evaluations }: Admin): AdminOperation[] {
  return [
    defineOperation({
      operationId: 'listPermissionsEvaluatorResults',
      service,
      method: 'get',
      path: `${prefix}/permission-evaluations`,
      summary: 'Whether the caller has permissions on resources',
      permission: read,
      query: z.object({ resource: fields.ids.min(1), permission: fields.ids.min(1) }),
      status: 200,
      output: z.array(evaluationRecord),
      run: ({ principal, query }) => evaluations.list(principal, query.resource, query.permission),
    }),
    defineOperation({
      operationId: 'listPermissions',
      service,
      method: 'get',
      path: `${prefix}/permissions`,
      summary: 'What the caller holds on a resource',
      permission: read,
      query: z.object({ resource: fields.id }),
      status: 200,
      output: permissionListing,
      run: ({ principal, query }) => evaluations.held(principal, query.resource),
    }),
    defineOperation({
      operationId: 'identityOnAppHasPermissionOnResource',
      service,
      method: 'get',
      path: `${prefix}/resources/{resourceId}/has-permission`,
      summary: 'Whether the caller has all of the permissions on a resource',
      permission: read,
      params: resourcePath,
      query: z.object({ permission: fields.ids.min(1) }),
      status: 200,
      output: z.boolean(),
      run: ({ principal, params, query }) => evaluations.has(principal, params.resourceId, query.permission),
    }),
    defineOperation({
      operationId: 'getPermissionsEvaluatorResult',
      service,
      method: 'get',
      path: `${prefix}/resources/{resourceId}/permission-evaluation`,
      summary: 'Which of the permissions the caller lacks on a resource',
      permission: read,
      params: resourcePath,
      query: z.object({ permissions: fields.ids.min(1) }),
      status: 200,
      output: evaluationRecord,
      run: ({ principal, params, query }) =>
        evaluations.evaluate(principal, params.resourceId, query.permissions),
    }),
  ];
}

function resources({ resources: tree }: Admin): AdminOperation[] {
  const listing = {
    service,
    method: 'get',
    status: 200,
    output: resourcePage,
    pageType: 'ResourcePage',
  } as const;
  return [
    defineOperation({
      operationId: 'createResource',
      service,
      method: 'post',
      path: `${prefix}/resources`,
      summary: 'Create a resource',
      permission: { needs: '<type>:create', on: 'record', also: ['<type>:read'] },
      body: z.object({
        id: fields.id.optional(),
        type: z.enum(creatableTypes),
        properties: properties.optional(),
        parentId: fields.id.optional(),
      }),
      status: 201,
      output: resourceRecord,
      creates: true,
      run: ({ principal, body, claim }) => tree.create(principal, body, claim),
    }),
    defineOperation({
      operationId: 'listResourcesContainingResourceIdForResourceType',
      ...listing,
      path: `${prefix}/types/{type}/resources/containing/{resourceId}`,
      summary: 'List the resources of a type whose id contains a text',
      permission: read,
      params: typePath.extend({ resourceId: fields.id.describe('A part of the id.') }),
      query: z.object({ ...termFilters, ...pagingParameters(resourceSortKeys) }),
      run: ({ principal, params, query }) =>
        tree.listContaining(principal, params.type, params.resourceId, query),
    }),
    defineOperation({
      operationId: 'getResource',
      service,
      method: 'get',
      path: `${prefix}/resources/{resourceId}`,
      summary: 'Get a resource',
      permission: read,
      params: resourcePath,
      status: 200,
      output: resourceRecord,
      run: ({ principal, params }) => tree.get(principal, params.resourceId),
    }),
    defineOperation({
      operationId: 'listAllResourcesByType',
      ...listing,
      path: `${prefix}/types/{type}/resources`,
      summary: 'List all resources of a type that the caller may see',
      permission: read,
      params: typePath,
      query: resourceQuery,
      run: ({ principal, params, query }) => tree.listAll(principal, params.type, query),
    }),
    defineOperation({
      operationId: 'listResourceOfType',
      ...listing,
      path: `${prefix}/types/{type}/resources/mine`,
      summary: "List the resources of a type that the caller's own roles let it see",
      permission: read,
      params: typePath,
      query: resourceQuery,
      run: ({ principal, params, query }) => tree.listMine(principal, params.type, query),
    }),
    defineOperation({
      operationId: 'listResourcesForIdentity',
      ...listing,
      path: `${prefix}/types/{type}/identities/{serviceId}/resources`,
      summary: "List the resources of a type that an identity's roles let it see",
      permission: read,
      params: typePath.extend({ serviceId: fields.id }),
      query: resourceQuery,
      run: ({ principal, params, query }) => tree.listFor(principal, params.type, params.serviceId, query),
    }),
    defineOperation({
      operationId: 'createLookupTerm',
      service,
      method: 'post',
      path: `${prefix}/resources/{resourceId}/lookup-terms`,
      summary: 'Add a word under which a resource is found',
      permission: { needs: '<type>:update', on: 'record' },
      params: resourcePath,
      body: z.object({ value: fields.name }),
      status: 201,
      output: lookupTermRecord,
      creates: true,
      run: ({ principal, params, body, claim }) =>
        tree.addLookupTerm(principal, params.resourceId, body.value, claim),
    }),
  ];
}

function roles({ roles: grants }: Admin): AdminOperation[] {
  return [
    defineOperation({
      operationId: 'listAppIdentityRoles',
      service,
      method: 'get',
      path: `${prefix}/app-identity-roles`,
      summary: 'List the roles of identities on an application',
      permission: { needs: 'app:read', on: 'record' },
      query: z.object({ app: fields.id }),
      status: 200,
      output: z.array(appIdentityRoleRecord),
      run: ({ principal, query }) => grants.listAppIdentityRoles(principal, query.app),
    }),
    defineOperation({
      operationId: 'createAppIdentityRole',
      service,
      method: 'post',
      path: `${prefix}/app-identity-roles`,
      summary: 'Give an identity a role on an application',
      permission: { ...giving, needs: 'app:manage' },
      body: z.object({ identity, app, role }),
      status: 201,
      output: appIdentityRoleRecord,
      creates: true,
      run: ({ principal, body, claim }) =>
        grants.createAppIdentityRole(
          principal,
          {
            identity: idIn(body.identity, 'serviceId', 'identifier'),
            app: idIn(body.app, 'appId', 'resourceUUID', 'resourceId'),
            role: idIn(body.role, 'name'),
          },
          claim,
        ),
    }),
    defineOperation({
      operationId: 'listAppRoles',
      service,
      method: 'get',
      path: `${prefix}/resources/{resourceId}/app-roles`,
      summary: 'List the roles of applications on a resource',
      permission: read,
      params: resourcePath,
      status: 200,
      output: z.array(appIdentityRoleRecord),
      run: ({ principal, params }) => grants.listAppRoles(principal, params.resourceId),
    }),
    defineOperation({
      operationId: 'setAppRole',
      service,
      method: 'put',
      path: `${prefix}/resources/{resourceId}/app-roles`,
      summary: 'Set the role of an application on a resource',
      permission: giving,
      params: resourcePath,
      body: z.object({ app, role }),
      status: 200,
      output: appIdentityRoleRecord,
      run: ({ principal, params, body }) =>
        grants.setAppRole(principal, params.resourceId, {
          app: idIn(body.app, 'appId', 'resourceUUID', 'resourceId'),
          role: idIn(body.role, 'name'),
        }),
    }),
    defineOperation({
      operationId: 'listResourceIdentityRoles',
      service,
      method: 'get',
      path: `${prefix}/resource-identity-roles`,
      summary: 'List the roles of an identity on a resource',
      permission: read,
      query: z.object({ resource: fields.id, identity: fields.id, ...pagingParameters(roleSortKeys) }),
      status: 200,
      output: resourceIdentityRolePage,
      pageType: 'ResourceIdentityRolePage',
      run: ({ principal, query }) => grants.listOnResource(principal, query),
    }),
    defineOperation({
      operationId: 'createResourceIdentityRole',
      service,
      method: 'post',
      path: `${prefix}/resource-identity-roles`,
      summary: 'Give an identity a role on a resource',
      permission: giving,
      body: z.object({ identity, resource, role }),
      status: 201,
      output: resourceIdentityRoleRecord,
      creates: true,
      run: ({ principal, body, claim }) =>
        grants.create(
          principal,
          {
            identity: idIn(body.identity, 'serviceId', 'identifier'),
            resource: idIn(body.resource, 'resourceUUID', 'resourceID'),
            role: idIn(body.role, 'name'),
          },
          claim,
        ),
    }),
    defineOperation({
      operationId: 'deleteResourceIdentityRole',
      service,
      method: 'delete',
      path: `${prefix}/resources/{resourceId}/identities/{serviceId}/roles/{name}`,
      summary: 'Schedule the end of a role of an identity on a resource',
      permission: { needs: '<type>:manage', on: 'self' },
      params: resourcePath.extend({ serviceId: fields.id, name: fields.name }),
      status: 202,
      output: z.null(),
      async run({ principal, params }) {
        await grants.remove(principal, params.resourceId, params.serviceId, params.name);
        return null;
      },
    }),
    defineOperation({
      operationId: 'listRoles',
      service,
      method: 'get',
      path: `${prefix}/roles`,
      summary: 'List the roles that there are',
      permission: { needs: 'project:read', on: 'project' },
      query: z.object({
        names: z.array(fields.name).max(100).default([]),
        roleType: z.enum(['IDENTITY', 'APP']).optional(),
      }),
      status: 200,
      output: z.array(roleRecord),
      run: ({ query }) => grants.listRoles(query.names, query.roleType),
    }),
  ];
}

function appsAndIdentities({ identities, appProperties }: Admin): AdminOperation[] {
  return [
    defineOperation({
      operationId: 'listIdentitiesOnResources',
      service,
      method: 'get',
      path: `${prefix}/resource-identities`,
      summary: 'List the identities that hold a role on resources',
      permission: read,
      query: z.object({ resource: fields.ids.min(1), ...pagingParameters(identitySortKeys) }),
      status: 200,
      output: identityPage,
      pageType: 'IdentityPage',
      run: ({ principal, query }) => identities.onResources(principal, query.resource, query),
    }),
    defineOperation({
      operationId: 'listAppIdentityProperties',
      service,
      method: 'get',
      path: `${prefix}/app-identity-properties`,
      summary: 'List what an application keeps of identities',
      permission: { needs: 'app:read', on: 'record' },
      query: z.object({ app: fields.id }),
      status: 200,
      output: z.array(appIdentityPropertyRecord),
      run: ({ principal, query }) => appProperties.list(principal, query.app),
    }),
    defineOperation({
      operationId: 'createAppIdentityProperty',
      service,
      method: 'post',
      path: `${prefix}/app-identity-properties`,
      summary: 'Keep a property of an identity on an application',
      permission: { needs: 'app:update', on: 'record', also: ['<type>:read'] },
      body: z.object({ identity, app, name: fields.name, value: fields.value }),
      status: 201,
      output: appIdentityPropertyRecord,
      creates: true,
      run: ({ principal, body, claim }) =>
        appProperties.create(
          principal,
          {
            identity: idIn(body.identity, 'serviceId', 'identifier'),
            app: idIn(body.app, 'appId', 'resourceUUID', 'resourceId'),
            name: body.name,
            value: body.value,
          },
          claim,
        ),
    }),
  ];
}
