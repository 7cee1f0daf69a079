import { z } from '@hono/zod-openapi';
import {
  type Admin,
  type IdentityView,
  identityPermissions,
  identityStatuses,
  identityTypes,
} from '@ledger-ops/auth';
import { ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { rfc3339 } from '../../present/dates.ts';
import { answered } from './answers.ts';
import { at, creation } from './creation.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { fields, imageExample } from './fields.ts';
import { imageBody } from './image-body.ts';

const service = 'administration';
const path = '/v1/admin/identities';
const seen = { needs: ['<type>:read', 'system:manage'], on: 'self' } as const;
const params = z.object({ serviceId: fields.id });
const problems = ['not-found', 'conflict'] as const;
const time = z.string().openapi({ format: 'date-time' });
const status = z.enum(identityStatuses);
const type = z.enum(identityTypes);

const identitySchema = z
  .object({
    serviceId: z.string().openapi({ description: 'Id of the identity in tokens, roles and the timeline.' }),
    type,
    identifier: z.string().openapi({ description: 'Address of the person or service account.' }),
    name: z.string().nullable(),
    imageUrl: z.string().nullable(),
    status,
    createdAt: time,
    updatedAt: time,
  })
  .openapi('AdminIdentity');
function identityBody({ id: _id, createdAt, updatedAt, ...identity }: IdentityView) {
  return { ...identity, createdAt: rfc3339(createdAt), updatedAt: rfc3339(updatedAt) };
}

/** Identities: users and service accounts. */
export function identityRoutes(admin: Admin): Route[] {
  return [...collection(admin), ...records(admin)];
}

function collection({ identities }: Admin): Route[] {
  const { answer, ...created } = creation(identitySchema, identityBody, ({ serviceId }) =>
    at(path, serviceId),
  );
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'adminListIdentities',
      summary: 'List visible identities',
      description:
        'Identities that have a role on a resource that the caller may read. Administrators see all identities.',
      service,
      permission: seen,
      query: z.strictObject({
        ...pageQuery,
        identifier: fields.id.optional().describe('The exact address or account id.'),
        search: fields.id.optional().describe('A substring of the identifier.'),
        resourceId: fields.id
          .optional()
          .describe('Only identities with a role on this resource, not counting roles on its parents.'),
      }),
      answers: answered(pageOfSchema('AdminIdentityPage', identitySchema)),
      async handle({ principal, query: { identifier, search, resourceId, ...page } }) {
        const paging = pagingOf(page);
        const filter = { identifier, search, resourceId };
        return ok(pageOf(await identities.page(principal, filter, paging), identityBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'adminCreateIdentity',
      summary: 'Create a person’s identity',
      description:
        'A USER receives a mail with a link to set a password. `POST /v1/admin/accounts` creates service accounts. Invitations also create identities.',
      service,
      permission: { needs: 'system:manage', on: 'record' },
      body: jsonBody(
        z.strictObject({
          identifier: fields.email,
          type: z.enum(['USER', 'SAML']).default('USER'),
          name: fields.name.optional(),
        }),
        { identifier: 'ada@example.com', name: 'Ada' },
      ),
      ...created,
      problems: [...problems, 'already-exists'],
      handle: async ({ principal, body, claim }) => answer(await identities.create(principal, body, claim)),
    }),
  ];
}

function records({ identities }: Admin): Route[] {
  const change = { service, permission: identityPermissions.change, params, problems } as const;
  return [
    defineRoute({
      method: 'get',
      path: `${path}/{serviceId}`,
      operationId: 'adminGetIdentity',
      summary: 'Get an identity',
      service,
      permission: seen,
      params,
      answers: answered(identitySchema),
      problems,
      handle: async ({ principal, params: { serviceId } }) =>
        ok(identityBody(await identities.get(principal, serviceId, 'SERVICE_ID'))),
    }),
    defineRoute({
      ...change,
      method: 'put',
      path: `${path}/{serviceId}`,
      operationId: 'adminUpdateIdentity',
      summary: 'Set the name of an identity',
      body: jsonBody(z.strictObject({ name: fields.name }), { name: 'Ada Lovelace' }),
      answers: answered(identitySchema),
      handle: async ({ principal, params: { serviceId }, body: { name } }) =>
        ok(identityBody(await identities.setName(principal, serviceId, name))),
    }),
    defineRoute({
      ...change,
      method: 'put',
      path: `${path}/{serviceId}/image`,
      operationId: 'adminSetIdentityImage',
      summary: 'Set the image of an identity',
      body: jsonBody(imageBody, imageExample, 'image'),
      answers: answered(identitySchema),
      handle: async ({ principal, params: { serviceId }, body }) =>
        ok(identityBody(await identities.setImage(principal, serviceId, body))),
    }),
    defineRoute({
      ...change,
      method: 'put',
      path: `${path}/{serviceId}/config`,
      operationId: 'adminSetIdentityConfig',
      summary: 'Set the configuration that applications store for an identity',
      body: jsonBody(
        z.strictObject({
          items: z.array(z.strictObject({ key: fields.name, value: fields.value })).max(100),
        }),
        { items: [{ key: 'language', value: 'en' }] },
      ),
      answers: answered(
        z
          .object({ items: z.array(z.object({ key: z.string(), value: z.string() })) })
          .openapi('AdminIdentityConfig'),
      ),
      handle: async ({ principal, params: { serviceId }, body }) =>
        ok(await identities.setConfig(principal, serviceId, body)),
    }),
    defineRoute({
      ...change,
      method: 'put',
      path: `${path}/{serviceId}/status`,
      operationId: 'adminSetIdentityStatus',
      summary: 'Set the status of an identity',
      description:
        'With any status except ENABLED, the identity’s tokens are refused and its sessions end. The last administrator cannot be disabled.',
      permission: identityPermissions.setStatus,
      body: jsonBody(z.strictObject({ status }), { status: 'DISABLED' }),
      answers: answered(identitySchema),
      handle: async ({ principal, params: { serviceId }, body }) =>
        ok(identityBody(await identities.setStatus(principal, serviceId, body.status))),
    }),
  ];
}
