import { z } from '@hono/zod-openapi';
import { type Admin, lookupTermRecord, resourceRecord, resourceTypes } from '@ledger-ops/auth';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered, createdAs } from './answers.ts';
import { fields } from './fields.ts';
import { resourceFilters, resourcePage, resourcePaging } from './listings.ts';

const service = 'resource-manager';
const prefix = '/v1/resource-manager';
const read = { needs: '<type>:read', on: 'record' } as const;
const resourcePath = z.object({ resourceId: fields.id.describe('resourceID or resourceUUID.') });
const typePath = z.object({ type: z.enum(resourceTypes) });
/** `contract-group` is internal, and there is one system. */
const creatableTypes = z.enum(resourceTypes).exclude(['contract-group']);
const termFilters = {
  lookupTerm: z.array(fields.name).max(100).default([]),
  lookupTermStrategy: z.enum(['AND', 'OR']).default('OR').describe('Whether all terms must fit, or one.'),
};
const resourceQuery = z.object({ ...resourceFilters, ...termFilters, ...resourcePaging });
const properties = z
  .record(fields.name, fields.value)
  .refine((map) => Object.keys(map).length <= 64, 'must have at most 64 members');

/** The tree of resources (section 4.6). */
export function resourceRoutes({ resources: tree }: Admin): Route[] {
  const listing = {
    service,
    method: 'get',
    permission: read,
    deprecated: true,
    answers: answered(resourcePage),
  } as const;
  return [
    defineRoute({
      method: 'post',
      path: `${prefix}/resources`,
      operationId: 'createResource',
      summary: 'Create a resource',
      service,
      permission: { needs: '<type>:create', on: 'record', also: ['<type>:read'] },
      deprecated: true,
      body: jsonBody(
        z.object({
          id: fields.id.optional(),
          type: creatableTypes,
          properties: properties.optional(),
          parentId: fields.id.optional(),
        }),
        { id: 'reserve', type: 'billing-account', properties: { currency: 'EUR' } },
      ),
      ...createdAs(resourceRecord),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body, claim }) => created(await tree.create(principal, body, claim)),
    }),
    defineRoute({
      ...listing,
      path: `${prefix}/types/{type}/resources/containing/{resourceId}`,
      operationId: 'listResourcesContainingResourceIdForResourceType',
      summary: 'List the resources of a type whose id contains a text',
      permission: read,
      params: typePath.extend({ resourceId: fields.id.describe('A part of the id.') }),
      query: z.object({ ...termFilters, ...resourcePaging }),
      answers: answered(resourcePage),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(await tree.listContaining(principal, params.type, params.resourceId, query)),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/resources/{resourceId}`,
      operationId: 'getResource',
      summary: 'Get a resource',
      service,
      permission: read,
      deprecated: true,
      params: resourcePath,
      answers: answered(resourceRecord),
      problems: ['not-found'],
      handle: async ({ principal, params }) => ok(await tree.get(principal, params.resourceId)),
    }),
    defineRoute({
      ...listing,
      path: `${prefix}/types/{type}/resources`,
      operationId: 'listAllResourcesByType',
      summary: 'List all resources of a type that the caller may see',
      permission: read,
      params: typePath,
      query: resourceQuery,
      answers: answered(resourcePage),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) => ok(await tree.listAll(principal, params.type, query)),
    }),
    defineRoute({
      ...listing,
      path: `${prefix}/types/{type}/resources/mine`,
      operationId: 'listResourceOfType',
      summary: "List the resources of a type that the caller's own roles let it see",
      permission: read,
      params: typePath,
      query: resourceQuery,
      answers: answered(resourcePage),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) => ok(await tree.listMine(principal, params.type, query)),
    }),
    defineRoute({
      ...listing,
      path: `${prefix}/types/{type}/identities/{serviceId}/resources`,
      operationId: 'listResourcesForIdentity',
      summary: "List the resources of a type that an identity's roles let it see",
      permission: read,
      params: typePath.extend({ serviceId: fields.id }),
      query: resourceQuery,
      answers: answered(resourcePage),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(await tree.listFor(principal, params.type, params.serviceId, query)),
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/resources/{resourceId}/lookup-terms`,
      operationId: 'createLookupTerm',
      summary: 'Add a word under which a resource is found',
      service,
      permission: { needs: '<type>:update', on: 'record' },
      deprecated: true,
      params: resourcePath,
      body: jsonBody(z.object({ value: fields.name }), { value: 'quarterly' }),
      ...createdAs(lookupTermRecord),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, params, body, claim }) =>
        created(await tree.addLookupTerm(principal, params.resourceId, body.value, claim)),
    }),
  ];
}
