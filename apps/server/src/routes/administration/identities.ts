import { z } from '@hono/zod-openapi';
import { type Admin, type IdentityView, identityPermissions, identityRecord } from '@ledger-ops/auth';
import { ok } from '../../http/answer.ts';
import { withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { rfc3339 } from '../../present/dates.ts';
import { answered } from '../admin/answers.ts';
import { fields, imageExample } from '../admin/fields.ts';
import { at, creation } from './creation.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { imageBody } from './image.ts';

const service = 'administration';
const path = '/v1/admin/identities';
const seen = { needs: ['<type>:read', 'system:manage'], on: 'self' } as const;
const params = z.object({ serviceId: fields.id });
const problems = ['not-found', 'conflict'] as const;
const time = z.string().openapi({ format: 'date-time' });
const { status, type } = identityRecord.shape;

const identitySchema = z
  .object({
    serviceId: z.string().openapi({ description: 'Who it is in tokens, roles and the timeline.' }),
    type,
    identifier: z.string().openapi({ description: 'The person’s address, or that of the account.' }),
    ...{ name: z.string().nullable(), imageUrl: z.string().nullable(), status },
    ...{ createdAt: time, updatedAt: time },
  })
  .openapi('AdminIdentity');
function identityBody({ identityProfile, dateCreated, dateUpdated, ...identity }: IdentityView) {
  const { serviceId, type, identifier, status } = identity;
  return {
    ...{ serviceId, type, identifier, name: identityProfile.displayName, imageUrl: identityProfile.imageURL },
    ...{ status, createdAt: rfc3339(dateCreated), updatedAt: rfc3339(dateUpdated) },
  };
}

/** People and service accounts, as who calls. */
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
      summary: 'List identities that the caller may see',
      description: 'Those who hold a role on something that the caller may read; who administers sees all.',
      service,
      permission: seen,
      query: z.strictObject({
        ...pageQuery,
        identifier: fields.id.optional().describe('Exactly this address, or id of an account.'),
        search: fields.id.optional().describe('A part of the identifier.'),
        resourceId: fields.id.optional().describe('Only who holds a role on this resource itself.'),
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
      summary: 'Create the identity of a person',
      description:
        'A USER is mailed a link with which they set a password. Service accounts are created by `POST /v1/admin/accounts`, and invitations make identities, too.',
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
      handle: async ({ principal, body: { name: displayName, ...body }, claim }) =>
        answer(await identities.create(principal, { ...body, displayName }, claim)),
    }),
  ];
}

function records({ identities }: Admin): Route[] {
  const change = { service, permission: identityPermissions.change, params, problems } as const;
  const one = async (...[principal, serviceId]: Parameters<typeof identities.get>) =>
    ok(identityBody(await identities.get(principal, serviceId, 'SERVICE_ID')));
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
      handle: async ({ principal, params: { serviceId } }) => await one(principal, serviceId, 'SERVICE_ID'),
    }),
    defineRoute({
      ...change,
      method: 'put',
      path: `${path}/{serviceId}`,
      operationId: 'adminUpdateIdentity',
      summary: 'Set the name of an identity',
      body: jsonBody(z.strictObject({ name: fields.name }), { name: 'Ada Lovelace' }),
      answers: answered(identitySchema),
      handle: ({ principal, params: { serviceId }, body: { name: displayName } }) =>
        withPointers([['/displayName', '/name']], async () => {
          await identities.setProfile(principal, serviceId, { displayName });
          return await one(principal, serviceId, 'SERVICE_ID');
        }),
    }),
    defineRoute({
      ...change,
      method: 'put',
      path: `${path}/{serviceId}/image`,
      operationId: 'adminSetIdentityImage',
      summary: 'Set the image of an identity',
      body: jsonBody(imageBody, imageExample, 'image'),
      answers: answered(identitySchema),
      handle: async ({ principal, params: { serviceId }, body }) => {
        await identities.setImage(principal, serviceId, body);
        return await one(principal, serviceId, 'SERVICE_ID');
      },
    }),
    defineRoute({
      ...change,
      method: 'put',
      path: `${path}/{serviceId}/config`,
      operationId: 'adminSetIdentityConfig',
      summary: 'Set the configuration of an identity, which applications keep for it',
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
        'Unless it is ENABLED, its tokens are refused and its sessions end. The last one that administers stays.',
      permission: identityPermissions.setStatus,
      body: jsonBody(z.strictObject({ status }), { status: 'DISABLED' }),
      answers: answered(identitySchema),
      handle: async ({ principal, params: { serviceId }, body }) =>
        ok(identityBody(await identities.setStatus(principal, serviceId, body.status))),
    }),
  ];
}
