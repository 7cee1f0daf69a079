import { z } from '@hono/zod-openapi';
import { type Admin, appIdentityPropertyRecord } from '@ledger-ops/auth';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered, createdAs } from './answers.ts';
import { exampleIds, fields, idIn, references } from './fields.ts';
import { identityPage, identityPaging } from './listings.ts';

const service = 'resource-manager';
const prefix = '/v1/resource-manager';
const read = { needs: '<type>:read', on: 'record' } as const;
const { identity, app } = references;

/** Identities on resources, and what applications keep of them (section 4.6). */
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
      answers: answered(identityPage),
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        ok(await identities.onResources(principal, query.resource, query)),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/app-identity-properties`,
      operationId: 'listAppIdentityProperties',
      summary: 'List what an application keeps of identities',
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
      summary: 'Keep a property of an identity on an application',
      service,
      permission: { needs: 'app:update', on: 'record', also: ['<type>:read'] },
      deprecated: true,
      body: jsonBody(z.object({ identity, app, name: fields.name, value: fields.value }), {
        identity: { serviceId: exampleIds.serviceId },
        app: { appId: 'shop' },
        name: 'plan',
        value: 'basic',
      }),
      ...createdAs(appIdentityPropertyRecord),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body, claim }) =>
        created(
          await appProperties.create(
            principal,
            {
              identity: idIn(body.identity, 'serviceId', 'identifier'),
              app: idIn(body.app, 'appId', 'resourceUUID', 'resourceId'),
              name: body.name,
              value: body.value,
            },
            claim,
          ),
        ),
    }),
  ];
}
