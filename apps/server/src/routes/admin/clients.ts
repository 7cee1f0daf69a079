import { z } from '@hono/zod-openapi';
import type { Admin, AppView, Principal, ServiceAccountView } from '@ledger-ops/auth';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from './answers.ts';
import { archivedQuery, archiveRoutes, presenter } from './archive.ts';
import { at, creation } from './creation.ts';
import { pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { fields, imageExample } from './fields.ts';
import { imageBody } from './image-body.ts';
import { accountBody, accountSchema, appBody, appSchema } from './records.ts';

const service = 'administration';
const apps = '/v1/admin/apps';
const accounts = '/v1/admin/accounts';
const appUrl = fields.url.nullish();
const redirectUris = z.array(z.string().max(2_000)).max(20).optional();
const ofProject = z.strictObject({ ...pageQuery, ...archivedQuery, projectId: fields.id });

export function appRoutes(admin: Admin): Route[] {
  const { apps: functions } = admin;
  const shown = presenter(admin.archive, ({ uid }: AppView) => uid, appBody);
  const { answer, ...created } = creation(appSchema, appBody, ({ appId }) => at(apps, appId));
  const params = z.object({ appId: fields.id });
  return [
    defineRoute({
      method: 'get',
      path: apps,
      operationId: 'adminListApps',
      summary: 'List the applications of a project',
      service,
      permission: { needs: 'app:read', on: 'record' },
      query: ofProject,
      answers: answered(pageOfSchema('AdminAppPage', appSchema)),
      async handle({ principal, query: { projectId, archived, ...page } }) {
        const paging = pagingOf(page);
        const found = await functions.listOfProject(principal, projectId, { ...paging, archived });
        return await shown.page(found);
      },
    }),
    defineRoute({
      method: 'post',
      path: apps,
      operationId: 'adminCreateApp',
      summary: 'Create an application',
      description:
        'The caller becomes the owner of the application, which has no token until you issue one (`POST /v1/admin/apps/{appId}/token`). Default `projectId`: the caller’s project.',
      service,
      permission: { needs: 'app:create', on: 'record', also: ['project:read'] },
      body: jsonBody(
        z.strictObject({
          appId: fields.id.optional(),
          name: fields.name,
          projectId: fields.id.optional(),
          appUrl,
          redirectUris,
        }),
        {
          appId: 'shop',
          name: 'Shop',
          projectId: 'payments',
          redirectUris: ['https://shop.example/callback'],
        },
      ),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body, claim }) => answer(await functions.create(principal, body, claim)),
    }),
    defineRoute({
      method: 'get',
      path: `${apps}/{appId}`,
      operationId: 'adminGetApp',
      summary: 'Get an application',
      service,
      permission: { needs: 'app:read', on: 'record' },
      params,
      answers: answered(appSchema),
      problems: ['not-found'],
      handle: async ({ principal, params: { appId } }) =>
        await shown.one(await functions.get(principal, appId)),
    }),
    defineRoute({
      method: 'put',
      path: `${apps}/{appId}`,
      operationId: 'adminUpdateApp',
      summary: 'Change an application',
      description: 'Absent members remain unchanged.',
      service,
      permission: { needs: 'app:update', on: 'record' },
      params,
      body: jsonBody(z.strictObject({ name: fields.name.optional(), appUrl, redirectUris }), {
        name: 'Shop',
      }),
      answers: answered(appSchema),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params: { appId }, body }) =>
        shown.one(await functions.update(principal, appId, body)),
    }),
    defineRoute({
      method: 'put',
      path: `${apps}/{appId}/image`,
      operationId: 'adminSetAppImage',
      summary: 'Set the image of an application',
      service,
      permission: { needs: 'app:update', on: 'record' },
      params,
      body: jsonBody(imageBody, imageExample, 'image'),
      answers: answered(appSchema),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params: { appId }, body }) =>
        shown.one(await functions.setImage(principal, appId, body)),
    }),
    ...archiveRoutes(admin, {
      type: 'app',
      path: `${apps}/{appId}`,
      id: 'appId',
      params,
      name: 'App',
      one: 'an application',
      schema: appSchema,
      show: async (principal, appId) => shown.one(await functions.get(principal, appId)),
    }),
  ];
}

export function accountRoutes(admin: Admin): Route[] {
  const { serviceAccounts: functions } = admin;
  const shown = presenter(admin.archive, ({ serviceId }: ServiceAccountView) => serviceId, accountBody);
  const params = z.object({ accountId: fields.id.describe('accountId or serviceId.') });
  const show = async (principal: Principal, accountId: string) =>
    shown.one(await functions.get(principal, accountId, 'SERVICE_ACCOUNT_ID'));
  const { answer, ...created } = creation(accountSchema, accountBody, ({ serviceId }) =>
    at(accounts, serviceId),
  );
  return [
    defineRoute({
      method: 'get',
      path: accounts,
      operationId: 'adminListAccounts',
      summary: 'List the service accounts of a project',
      service,
      permission: { needs: 'service-account:read', on: 'record' },
      query: ofProject,
      answers: answered(pageOfSchema('AdminAccountPage', accountSchema)),
      async handle({ principal, query: { projectId, archived, ...page } }) {
        const paging = pagingOf(page);
        const found = await functions.listOfProject(principal, projectId, { ...paging, archived });
        return await shown.page(found);
      },
    }),
    defineRoute({
      method: 'post',
      path: accounts,
      operationId: 'adminCreateAccount',
      summary: 'Create a service account',
      description:
        'The caller becomes the owner of the account, which has no permissions until you grant it a role (`POST /v1/admin/role-grants`), and no credential until you create one (`POST /v1/admin/accounts/{accountId}/tokens`). Default `projectId`: the caller’s project.',
      service,
      permission: { needs: 'service-account:create', on: 'record', also: ['project:read'] },
      body: jsonBody(
        z.strictObject({
          accountId: fields.id.optional(),
          name: fields.name,
          email: fields.email.optional(),
          projectId: fields.id.optional(),
        }),
        { accountId: 'payments', name: 'Payments', projectId: 'payments' },
      ),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body, claim }) => answer(await functions.create(principal, body, claim)),
    }),
    defineRoute({
      method: 'get',
      path: `${accounts}/{accountId}`,
      operationId: 'adminGetAccount',
      summary: 'Get a service account',
      service,
      permission: { needs: 'service-account:read', on: 'record' },
      params,
      answers: answered(accountSchema),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params: { accountId } }) => await show(principal, accountId),
    }),
    ...archiveRoutes(admin, {
      type: 'service-account',
      path: `${accounts}/{accountId}`,
      id: 'accountId',
      params,
      name: 'Account',
      one: 'a service account',
      schema: accountSchema,
      show,
    }),
  ];
}
