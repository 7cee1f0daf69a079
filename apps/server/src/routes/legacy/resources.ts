import { z } from '@hono/zod-openapi';
import { type Admin, resourceTypes } from '@ledger-ops/auth';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { fields } from '../admin/fields.ts';
import { createdAs } from './answers.ts';
import { resourceFilters, resourcePage, resourcePaging } from './listings.ts';
import { lookupTermRecord, resource, resourceRecord } from './records.ts';

const service = 'resource-manager';
const prefix = '/v1/resource-manager';
const read = { needs: '<type>:read', on: 'record' } as const;
const resourcePath = z.object({ resourceId: fields.id.describe('resourceID or resourceUUID.') });
const typePath = z.object({ type: z.enum(resourceTypes) });
/** Excludes `contract-group`, which is internal. */
const creatableTypes = z.enum(resourceTypes).exclude(['contract-group']);
const termFilters = {
  lookupTerm: z.array(fields.name).max(100).default([]),
  lookupTermStrategy: z
    .enum(['AND', 'OR'])
    .default('OR')
    .describe('Whether all terms must match, or only one.'),
};
const resourceQuery = z.object({ ...resourceFilters, ...termFilters, ...resourcePaging });
const properties = z
  .record(fields.name, fields.value)
  .refine((map) => Object.keys(map).length <= 64, 'must have at most 64 members');

/** The tree of resources (specification, section 4.6). */
export function resourceRoutes({ resources: tree }: Admin): Route[] {
  const listing = {
    service,
    method: 'get',
    permission: read,
    deprecated: true,
    answers: resourcePage.answers,
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
      ...createdAs(resourceRecord, resource.present),
      // In the bodies of organizations, projects, applications and accounts, issues with the id point to its
      // name.
      pointers: ['resource', 'organization', 'project', 'app', 'account'].map((type) => [
        `/${type}Id`,
        '/id',
      ]),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body: { id: resourceId, ...body }, claim }) =>
        created(resource.present(await tree.create(principal, { ...body, resourceId }, claim))),
    }),
    defineRoute({
      ...listing,
      path: `${prefix}/types/{type}/resources/containing/{resourceId}`,
      operationId: 'listResourcesContainingResourceIdForResourceType',
      summary: 'List the resources of a type whose id contains a substring',
      permission: read,
      params: typePath.extend({ resourceId: fields.id.describe('A substring of the id.') }),
      query: z.object({ ...termFilters, ...resourcePaging }),
      answers: resourcePage.answers,
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        resourcePage.answer(
          query,
          await tree.listContaining(principal, params.type, params.resourceId, query),
          resource.present,
        ),
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
      handle: async ({ principal, params }) =>
        ok(resource.present(await tree.get(principal, params.resourceId))),
    }),
    defineRoute({
      ...listing,
      path: `${prefix}/types/{type}/resources`,
      operationId: 'listAllResourcesByType',
      summary: 'List all visible resources of a type',
      permission: read,
      params: typePath,
      query: resourceQuery,
      answers: resourcePage.answers,
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        resourcePage.answer(query, await tree.listAll(principal, params.type, query), resource.present),
    }),
    defineRoute({
      ...listing,
      path: `${prefix}/types/{type}/resources/mine`,
      operationId: 'listResourceOfType',
      summary: "List the resources of a type that are visible through the caller's own roles",
      permission: read,
      params: typePath,
      query: resourceQuery,
      answers: resourcePage.answers,
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        resourcePage.answer(query, await tree.listMine(principal, params.type, query), resource.present),
    }),
    defineRoute({
      ...listing,
      path: `${prefix}/types/{type}/identities/{serviceId}/resources`,
      operationId: 'listResourcesForIdentity',
      summary: "List the resources of a type that are visible through an identity's roles",
      permission: read,
      params: typePath.extend({ serviceId: fields.id }),
      query: resourceQuery,
      answers: resourcePage.answers,
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        resourcePage.answer(
          query,
          await tree.listFor(principal, params.type, params.serviceId, query),
          resource.present,
        ),
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/resources/{resourceId}/lookup-terms`,
      operationId: 'createLookupTerm',
      summary: 'Add a search term to a resource',
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
