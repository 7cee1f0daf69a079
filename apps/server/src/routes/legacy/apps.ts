import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { pagingParameters, Secret } from '@ledger-ops/base';
import { created, noContent, ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered, shownOnce } from '../admin/answers.ts';
import { exampleIds, fields, imageBody, imageExample } from '../admin/fields.ts';
import { createdAs } from './answers.ts';
import { app, appRecord } from './records.ts';
import { resourceIdFilter } from './references.ts';

const service = 'apps';
const appPage = pageKind('AppPage', appRecord, 'The result.');
const appPath = z.object({ appId: fields.id });
const appURL = fields.url.nullish();
const redirectUris = z.array(z.string().max(2_000)).max(20).optional();

/** The only response that contains the token. */
export const issuedAppToken = z
  .object({ appId: z.string(), appToken: z.string() })
  .meta({ id: 'IssuedAppToken' });

export function appRoutes({ apps }: Admin): Route[] {
  const read = { needs: 'app:read', on: 'record' } as const;
  const update = { needs: 'app:update', on: 'record' } as const;
  return [
    defineRoute({
      method: 'post',
      path: '/v1/apps',
      operationId: 'createApp',
      summary: 'Create an application',
      service,
      permission: { needs: 'app:create', on: 'record', also: ['project:read'] },
      deprecated: true,
      body: jsonBody(
        z.object({
          name: fields.name,
          appId: fields.id.optional(),
          projectId: fields.id.optional(),
          appURL,
          redirectUris,
        }),
        {
          name: 'Shop',
          appId: 'shop',
          projectId: exampleIds.project,
          redirectUris: ['https://shop.example/callback'],
        },
      ),
      ...createdAs(appRecord, app.present),
      pointers: app.pointers,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body: { appURL: appUrl, ...body }, claim }) =>
        created(app.present(await apps.create(principal, { ...body, appUrl }, claim))),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/apps/{appId}',
      operationId: 'updateApp',
      summary: 'Change an application',
      service,
      permission: update,
      deprecated: true,
      params: appPath,
      body: jsonBody(z.object({ name: fields.name.optional(), appURL, redirectUris }), {
        name: 'Shop',
        appURL: 'https://shop.example',
      }),
      answers: answered(appRecord),
      problems: ['not-found', 'conflict'],
      pointers: app.pointers,
      handle: async ({ principal, params, body: { appURL: appUrl, ...body } }) =>
        ok(app.present(await apps.update(principal, params.appId, { ...body, appUrl }))),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/apps/{appId}/image',
      operationId: 'setAppImage',
      summary: 'Set the image of an application',
      service,
      permission: update,
      deprecated: true,
      params: appPath,
      body: jsonBody(imageBody, imageExample, 'image'),
      answers: answered(appRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params, body }) =>
        ok(app.present(await apps.setImage(principal, params.appId, body))),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/apps/by-token/{appToken}',
      operationId: 'getAppByToken',
      summary: 'Get an application by its token',
      service,
      permission: read,
      deprecated: true,
      params: z.object({ appToken: z.string().min(1).max(512) }),
      answers: answered(appRecord),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(app.present(await apps.byToken(principal, new Secret(params.appToken)))),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/apps/{appId}',
      operationId: 'getApp',
      summary: 'Get an application',
      service,
      permission: read,
      deprecated: true,
      params: appPath,
      answers: answered(appRecord),
      problems: ['not-found'],
      handle: async ({ principal, params }) => ok(app.present(await apps.get(principal, params.appId))),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/apps/projects/{project}',
      operationId: 'listAppsOfProject',
      summary: 'List the applications of a project',
      service,
      permission: read,
      deprecated: true,
      params: z.object({ project: fields.id }),
      query: z.object({
        resourceId: resourceIdFilter,
        ...pagingParameters({
          ...app.sortKeys(
            'id',
            'name',
            'appId',
            'appURL',
            'imageURL',
            'projectId',
            'resourceId',
            'resourceUUID',
            'formerToken',
          ),
          dateCreated: 'createdAt',
          dateUpdated: 'updatedAt',
        }),
      }),
      answers: appPage.answers,
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        appPage.answer(query, await apps.listOfProject(principal, params.project, query), app.present),
    }),
    defineRoute({
      method: 'post',
      path: '/v1/apps/{appId}/token',
      operationId: 'issueAppToken',
      summary: 'Issue or replace the ApplicationToken; it is shown once',
      description: `${shownOnce} The former token becomes invalid immediately; with \`keepFormer\` it stays valid until it is revoked (\`DELETE /v1/apps/{appId}/former-token\`). Only one former token is kept: if one from an earlier replacement is still valid, it stays valid, and the token that is replaced now becomes invalid.`,
      service,
      permission: { needs: 'app:manage', on: 'record', gives: true },
      deprecated: true,
      params: appPath,
      query: z.object({ keepFormer: fields.flag(false) }),
      ...createdAs(issuedAppToken),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, params, query: { keepFormer: keepsFormer }, claim }) =>
        created(await apps.issueToken(principal, params.appId, { keepsFormer, claim })),
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/apps/{appId}/former-token',
      operationId: 'endFormerAppToken',
      summary: 'Revoke the former ApplicationToken',
      description: 'Has no effect if the token is no longer valid.',
      service,
      permission: { needs: 'app:manage', on: 'record' },
      deprecated: true,
      params: appPath,
      answers: { 204: { description: 'Only the newest token is valid.' } },
      problems: ['not-found', 'conflict'],
      async handle({ principal, params }) {
        await apps.endFormerToken(principal, params.appId);
        return noContent;
      },
    }),
  ];
}
