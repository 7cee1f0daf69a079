import { z } from 'zod';
import type { Admin } from '../create-admin.ts';
import { fields } from '../fields.ts';
import { identityStatuses } from '../identities.ts';
import { imageBody } from '../images.ts';
import { type AdminOperation, defineOperation } from '../operation.ts';
import { identityRecord } from '../records.ts';

const service = 'identities';
const filterBy = z.enum(['IDENTIFIER', 'SERVICE_ID']).default('IDENTIFIER');
const seen = { needs: ['<type>:read', 'system:manage'], on: 'self' } as const;
const changed = {
  needs: ['service-account:update', 'system:manage'],
  on: 'self',
  also: ['service-account:read'],
} as const;
const idPath = z.object({ id: fields.id });
const serviceIdPath = z.object({ serviceId: fields.id });
const searchPath = z.object({ searchCriteria: fields.id.describe('A part of the identifier.') });
const configRecord = z
  .object({ items: z.array(z.object({ key: fields.name, value: fields.value })).max(100) })
  .meta({ id: 'IdentityConfig' });
const profileRecord = z.object({ displayName: z.string().nullable() }).meta({ id: 'IdentityProfile' });

/** Identities (section 4.6), without the authentication of a user. */
export function identityOperations({ identities }: Admin): AdminOperation[] {
  const listing = { service, method: 'get', permission: seen, status: 200 } as const;
  const changing = { service, method: 'put', permission: changed, status: 200 } as const;
  return [
    defineOperation({
      ...listing,
      operationId: 'listIdentities',
      path: '/v1/identities',
      summary: 'List identities by their identifiers',
      query: z.object({ filter_by: filterBy, identifiers: fields.ids.default([]) }),
      output: z.array(identityRecord),
      run: ({ principal, query }) => identities.list(principal, query.filter_by, query.identifiers),
    }),
    defineOperation({
      operationId: 'createIdentity',
      service,
      method: 'post',
      path: '/v1/identities',
      summary: 'Create the identity of a person',
      permission: { needs: 'system:manage', on: 'record' },
      body: z.object({
        identifier: fields.email,
        type: z.enum(['USER', 'SAML', 'SERVICE']).default('USER'),
        identityProfile: z.object({ displayName: fields.name.nullish() }).optional(),
      }),
      status: 201,
      output: identityRecord,
      creates: true,
      run: ({ principal, body, claim }) =>
        identities.create(
          principal,
          {
            identifier: body.identifier,
            type: body.type,
            displayName: body.identityProfile?.displayName ?? undefined,
          },
          claim,
        ),
    }),
    defineOperation({
      ...listing,
      operationId: 'getCurrentUser',
      permission: { needs: [], on: 'self' },
      path: '/v1/identities/me',
      summary: 'Get the identity of the caller',
      output: identityRecord,
      run: ({ principal }) => identities.current(principal),
    }),
    defineOperation({
      ...listing,
      operationId: 'getIdentity',
      path: '/v1/identities/{id}',
      summary: 'Get an identity',
      params: idPath,
      query: z.object({ filter_by: filterBy }),
      output: identityRecord,
      run: ({ principal, params, query }) => identities.get(principal, params.id, query.filter_by),
    }),
    defineOperation({
      ...changing,
      operationId: 'updateIdentityStatus',
      permission: {
        needs: ['service-account:manage', 'system:manage'],
        on: 'record',
        also: ['service-account:read'],
        gives: true,
      },
      path: '/v1/identities/{id}/status',
      summary: 'Set the status of an identity',
      params: idPath,
      query: z.object({ status: z.enum(identityStatuses) }),
      output: identityRecord,
      run: ({ principal, params, query }) => identities.setStatus(principal, params.id, query.status),
    }),
    defineOperation({
      ...listing,
      operationId: 'searchIdentities',
      path: '/v1/identities/search/{searchCriteria}',
      summary: 'Search identities by a part of their identifier',
      params: searchPath,
      output: z.array(identityRecord),
      run: ({ principal, params }) => identities.search(principal, params.searchCriteria),
    }),
    defineOperation({
      ...listing,
      operationId: 'searchIdentitiesInResources',
      permission: { needs: '<type>:read', on: 'record' },
      path: '/v1/identities/search/{searchCriteria}/in-resources',
      summary: 'Search identities that hold a role on resources',
      params: searchPath,
      query: z.object({ resources: fields.ids.default([]) }),
      output: z.array(identityRecord),
      run: ({ principal, params, query }) =>
        identities.search(principal, params.searchCriteria, query.resources),
    }),
    defineOperation({
      ...listing,
      operationId: 'listIdentitiesOfResource',
      permission: { needs: '<type>:read', on: 'record' },
      path: '/v1/identities/resources/{resourceId}',
      summary: 'List the identities that hold a role on a resource',
      params: z.object({ resourceId: fields.id }),
      output: z.array(identityRecord),
      run: ({ principal, params }) => identities.ofResource(principal, params.resourceId),
    }),
    defineOperation({
      ...changing,
      operationId: 'updateIdentityConfig',
      path: '/v1/identities/{serviceId}/config',
      summary: 'Set the configuration of an identity',
      params: serviceIdPath,
      body: configRecord,
      output: configRecord,
      run: ({ principal, params, body }) => identities.setConfig(principal, params.serviceId, body),
    }),
    defineOperation({
      ...changing,
      operationId: 'updateIdentityProfile',
      path: '/v1/identities/{serviceId}/profile',
      summary: 'Set the name of an identity',
      params: serviceIdPath,
      body: z.object({ displayName: fields.name }),
      output: profileRecord,
      run: ({ principal, params, body }) => identities.setProfile(principal, params.serviceId, body),
    }),
    defineOperation({
      ...changing,
      operationId: 'setIdentityImage',
      path: '/v1/identities/{serviceId}/image',
      summary: 'Set the image of an identity',
      params: serviceIdPath,
      body: imageBody,
      bodySize: 'image',
      output: profileRecord,
      run: ({ principal, params, body }) => identities.setImage(principal, params.serviceId, body),
    }),
  ];
}
