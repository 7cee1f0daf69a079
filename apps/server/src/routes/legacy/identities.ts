import { z } from '@hono/zod-openapi';
import { type Admin, type IdentityView, identityPermissions } from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { fields, imageBody, imageExample } from '../admin/fields.ts';
import { createdAs } from './answers.ts';
import { identity, identityRecord } from './records.ts';

const service = 'identities';
const filterBy = z.enum(['IDENTIFIER', 'SERVICE_ID']).default('IDENTIFIER');
const seen = { needs: ['<type>:read', 'system:manage'], on: 'self' } as const;
const idPath = z.object({ id: fields.id });
const serviceIdPath = z.object({ serviceId: fields.id });
const searchPath = z.object({ searchCriteria: fields.id.describe('A substring of the identifier.') });
const configRecord = z
  .object({ items: z.array(z.object({ key: fields.name, value: fields.value })).max(100) })
  .meta({ id: 'IdentityConfig' });
const profileRecord = z.object({ displayName: z.string().nullable() }).meta({ id: 'IdentityProfile' });

const profile = ({ name }: IdentityView) => ({ displayName: name });

/** Identities, without the authentication of a user (specification, section 4.6). */
export function identityRoutes({ identities }: Admin): Route[] {
  const listing = { service, method: 'get', permission: seen, deprecated: true } as const;
  const changing = {
    service,
    method: 'put',
    permission: identityPermissions.change,
    deprecated: true,
  } as const;
  return [
    defineRoute({
      ...listing,
      path: '/v1/identities',
      operationId: 'listIdentities',
      summary: 'List identities by their identifiers',
      query: z.object({ filter_by: filterBy, identifiers: fields.ids.default([]) }),
      answers: answered(z.array(identityRecord)),
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        ok((await identities.list(principal, query.filter_by, query.identifiers)).map(identity.present)),
    }),
    defineRoute({
      method: 'post',
      path: '/v1/identities',
      operationId: 'createIdentity',
      summary: 'Create a person’s identity',
      service,
      permission: { needs: 'system:manage', on: 'record' },
      deprecated: true,
      body: jsonBody(
        z.object({
          identifier: fields.email,
          type: z.enum(['USER', 'SAML', 'SERVICE']).default('USER'),
          identityProfile: z.object({ displayName: fields.name.nullish() }).optional(),
        }),
        { identifier: 'ada@example.com', type: 'USER', identityProfile: { displayName: 'Ada' } },
      ),
      ...createdAs(identityRecord, identity.present),
      problems: ['not-found', 'conflict', 'already-exists'],
      async handle({ principal, body: { identifier, type, identityProfile }, claim }) {
        if (type === 'SERVICE') {
          const detail = 'service accounts are created with POST /v1/service-accounts';
          throw invalidRequest([{ pointer: '/type', detail }]);
        }
        const input = { identifier, type, name: identityProfile?.displayName ?? undefined };
        return created(identity.present(await identities.create(principal, input, claim)));
      },
    }),
    defineRoute({
      ...listing,
      path: '/v1/identities/me',
      operationId: 'getCurrentUser',
      summary: 'Get the identity of the caller',
      permission: { needs: [], on: 'self' },
      answers: answered(identityRecord),
      handle: async ({ principal }) => ok(identity.present(await identities.current(principal))),
    }),
    defineRoute({
      ...listing,
      path: '/v1/identities/{id}',
      operationId: 'getIdentity',
      summary: 'Get an identity',
      params: idPath,
      query: z.object({ filter_by: filterBy }),
      answers: answered(identityRecord),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(identity.present(await identities.get(principal, params.id, query.filter_by))),
    }),
    defineRoute({
      ...changing,
      path: '/v1/identities/{id}/status',
      operationId: 'updateIdentityStatus',
      summary: 'Set the status of an identity',
      permission: identityPermissions.setStatus,
      params: idPath,
      query: z.object({ status: identityRecord.shape.status }),
      answers: answered(identityRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params, query }) =>
        ok(identity.present(await identities.setStatus(principal, params.id, query.status))),
    }),
    defineRoute({
      ...listing,
      path: '/v1/identities/search/{searchCriteria}',
      operationId: 'searchIdentities',
      summary: 'Search identities by a substring of their identifier',
      params: searchPath,
      answers: answered(z.array(identityRecord)),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok((await identities.search(principal, params.searchCriteria)).map(identity.present)),
    }),
    defineRoute({
      ...listing,
      path: '/v1/identities/search/{searchCriteria}/in-resources',
      operationId: 'searchIdentitiesInResources',
      summary: 'Search identities that hold a role on resources',
      permission: { needs: '<type>:read', on: 'record' },
      params: searchPath,
      query: z.object({ resources: fields.ids.default([]) }),
      answers: answered(z.array(identityRecord)),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(
          (await identities.search(principal, params.searchCriteria, query.resources)).map(identity.present),
        ),
    }),
    defineRoute({
      ...listing,
      path: '/v1/identities/resources/{resourceId}',
      operationId: 'listIdentitiesOfResource',
      summary: 'List the identities that hold a role on a resource',
      permission: { needs: '<type>:read', on: 'record' },
      params: z.object({ resourceId: fields.id }),
      answers: answered(z.array(identityRecord)),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok((await identities.ofResource(principal, params.resourceId)).map(identity.present)),
    }),
    defineRoute({
      ...changing,
      path: '/v1/identities/{serviceId}/config',
      operationId: 'updateIdentityConfig',
      summary: 'Set the configuration of an identity',
      params: serviceIdPath,
      body: jsonBody(configRecord, { items: [{ key: 'language', value: 'en' }] }),
      answers: answered(configRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params, body }) =>
        ok(await identities.setConfig(principal, params.serviceId, body)),
    }),
    defineRoute({
      ...changing,
      path: '/v1/identities/{serviceId}/profile',
      operationId: 'updateIdentityProfile',
      summary: 'Set the name of an identity',
      params: serviceIdPath,
      body: jsonBody(z.object({ displayName: fields.name }), { displayName: 'Ada Lovelace' }),
      answers: answered(profileRecord),
      problems: ['not-found', 'conflict'],
      pointers: [['/name', '/displayName']],
      handle: async ({ principal, params, body }) =>
        ok(profile(await identities.setName(principal, params.serviceId, body.displayName))),
    }),
    defineRoute({
      ...changing,
      path: '/v1/identities/{serviceId}/image',
      operationId: 'setIdentityImage',
      summary: 'Set the image of an identity',
      params: serviceIdPath,
      body: jsonBody(imageBody, imageExample, 'image'),
      answers: answered(profileRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params, body }) =>
        ok(profile(await identities.setImage(principal, params.serviceId, body))),
    }),
  ];
}
