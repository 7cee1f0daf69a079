import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { exampleIds, fields } from '../admin/fields.ts';
import { createdAs } from './answers.ts';
import { identityPage, identityPaging } from './listings.ts';
import { appIdentityPropertyRecord, identity } from './records.ts';
import { idIn, referencePointers, references } from './references.ts';

const service = 'resource-manager';
const prefix = '/v1/resource-manager';
const read = { needs: '<type>:read', on: 'record' } as const;

/** Identities on resources, and properties that applications store about them (specification, section 4.6). */
export function appIdentityRoutes({ identities, appProperties }: Admin): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${prefix}/resource-identities`,
      operationId: 'listIdentitiesOnResources',
      summary: 'List the identities that hold a role on resources',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ resource: fields.ids.min(1), ...identityPaging }),
      answers: identityPage.answers,
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        identityPage.answer(
          query,
          await identities.onResources(principal, query.resource, query),
          identity.present,
        ),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/app-identity-properties`,
      operationId: 'listAppIdentityProperties',
      summary: 'List the properties of identities that an application stores',
      service,
      permission: { needs: 'app:read', on: 'record' },
      deprecated: true,
      query: z.object({ app: fields.id }),
      answers: answered(z.array(appIdentityPropertyRecord)),
      problems: ['not-found'],
      handle: async ({ principal, query }) => ok(await appProperties.list(principal, query.app)),
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/app-identity-properties`,
      operationId: 'createAppIdentityProperty',
      summary: 'Set a property of an identity that an application stores',
      service,
      permission: { needs: 'app:update', on: 'record', also: ['<type>:read'] },
      deprecated: true,
      body: jsonBody(
        z.object({
          identity: references.identity,
          app: references.app,
          name: fields.name,
          value: fields.value,
        }),
        {
          identity: { serviceId: exampleIds.serviceId },
          app: { appId: 'shop' },
          name: 'plan',
          value: 'basic',
        },
      ),
      ...createdAs(appIdentityPropertyRecord),
      pointers: referencePointers,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body, claim }) =>
        created(
          await appProperties.create(
            principal,
            {
              serviceId: idIn(body.identity, 'serviceId', 'identifier'),
              appId: idIn(body.app, 'appId', 'resourceUUID', 'resourceId'),
              name: body.name,
              value: body.value,
            },
            claim,
          ),
        ),
    }),
  ];
}
