import { pageSchema, pagingParameters, Secret } from '@ledger-ops/base';
import { z } from 'zod';
import { appRecord, appSortKeys } from '../apps.ts';
import type { Admin } from '../create-admin.ts';
import { fields, idIn, references, resourceIdFilter } from '../fields.ts';
import { imageBody } from '../images.ts';
import { type AdminOperation, defineOperation } from '../operation.ts';
import { organizationRecord, organizationSortKeys } from '../organizations.ts';
import { projectRecord, projectSortKeys } from '../projects.ts';

const service = 'organization-projects';
const organizationPath = z.object({ organizationId: fields.id });
const appPath = z.object({ appId: fields.id });
/** A page of organizations. */
export const organizationPage = pageSchema('OrganizationPage', organizationRecord);
/** How organizations are listed. */
export const organizationQuery = z.object({
  resourceId: resourceIdFilter,
  all: fields.flag(false).describe('Also those in which the caller holds no role itself.'),
  ...pagingParameters(organizationSortKeys),
});

/** Organizations and projects (section 4.6). */
export function organizationOperations({ organizations, projects }: Admin): AdminOperation[] {
  return [
    defineOperation({
      operationId: 'listOrganizations',
      service,
      method: 'get',
      path: '/v1/organizations',
      summary: 'List organizations',
      permission: { needs: 'organization:read', on: 'record' },
      query: organizationQuery,
      status: 200,
      output: organizationPage,
      pageType: 'OrganizationPage',
      run: ({ principal, query }) => organizations.list(principal, query),
    }),
    defineOperation({
      operationId: 'createOrganization',
      service,
      method: 'post',
      path: '/v1/organizations',
      summary: 'Create an organization',
      permission: { needs: 'organization:create', on: 'record' },
      query: z.object({ assignAuthenticatedUser: fields.flag(true) }),
      body: z.object({ name: fields.name, organizationID: fields.id.optional() }),
      status: 201,
      output: organizationRecord,
      creates: true,
      run: ({ principal, query, body, claim }) =>
        organizations.create(principal, body, query.assignAuthenticatedUser, claim),
    }),
    defineOperation({
      operationId: 'getOrganization',
      service,
      method: 'get',
      path: '/v1/organizations/{organizationId}',
      summary: 'Get an organization',
      permission: { needs: 'organization:read', on: 'record' },
      params: organizationPath,
      status: 200,
      output: organizationRecord,
      run: ({ principal, params }) => organizations.get(principal, params.organizationId),
    }),
    defineOperation({
      operationId: 'setOrganizationImage',
      service,
      method: 'put',
      path: '/v1/organizations/{organizationId}/image',
      summary: 'Set the image of an organization',
      permission: { needs: 'organization:update', on: 'record' },
      params: organizationPath,
      body: imageBody,
      bodySize: 'image',
      status: 200,
      output: organizationRecord,
      run: ({ principal, params, body }) => organizations.setImage(principal, params.organizationId, body),
    }),
    defineOperation({
      operationId: 'listProjects',
      service,
      method: 'get',
      path: '/v1/projects',
      summary: 'List the projects of an organization',
      permission: { needs: 'project:read', on: 'record' },
      query: z.object({
        organization: fields.id,
        resourceId: resourceIdFilter,
        ...pagingParameters(projectSortKeys),
      }),
      status: 200,
      output: pageSchema('ProjectPage', projectRecord),
      pageType: 'ProjectPage',
      run: ({ principal, query }) => projects.list(principal, query),
    }),
    defineOperation({
      operationId: 'createProject',
      service,
      method: 'post',
      path: '/v1/projects',
      summary: 'Create a project',
      permission: { needs: 'project:create', on: 'record', also: ['organization:read'] },
      body: z.object({
        name: fields.name,
        projectID: fields.id.optional(),
        organization: references.organization,
      }),
      status: 201,
      output: projectRecord,
      creates: true,
      run: ({ principal, body: { organization, ...body }, claim }) =>
        projects.create(
          principal,
          {
            ...body,
            organization: idIn(organization, 'organizationID', 'resourceUUID', 'resourceId'),
          },
          claim,
        ),
    }),
    defineOperation({
      operationId: 'getProject',
      service,
      method: 'get',
      path: '/v1/projects/{projectId}',
      summary: 'Get a project',
      permission: { needs: 'project:read', on: 'record' },
      params: z.object({ projectId: fields.id }),
      status: 200,
      output: projectRecord,
      run: ({ principal, params }) => projects.get(principal, params.projectId),
    }),
  ];
}

const appURL = fields.url.nullish();
const redirectUris = z.array(z.string().max(2_000)).max(20).optional();

/** Applications (section 4.6). */
export function appOperations({ apps }: Admin): AdminOperation[] {
  const read = { needs: 'app:read', on: 'record' } as const;
  const update = { needs: 'app:update', on: 'record' } as const;
  return [
    defineOperation({
      operationId: 'createApp',
      service: 'apps',
      method: 'post',
      path: '/v1/apps',
      summary: 'Create an application',
      permission: { needs: 'app:create', on: 'record', also: ['project:read'] },
      body: z.object({
        name: fields.name,
        appId: fields.id.optional(),
        projectId: fields.id.optional(),
        appURL,
        redirectUris,
      }),
      status: 201,
      output: appRecord,
      creates: true,
      run: ({ principal, body, claim }) => apps.create(principal, body, claim),
    }),
    defineOperation({
      operationId: 'updateApp',
      service: 'apps',
      method: 'put',
      path: '/v1/apps/{appId}',
      summary: 'Change an application',
      permission: update,
      params: appPath,
      body: z.object({ name: fields.name.optional(), appURL, redirectUris }),
      status: 200,
      output: appRecord,
      run: ({ principal, params, body }) => apps.update(principal, params.appId, body),
    }),
    defineOperation({
      operationId: 'setAppImage',
      service: 'apps',
      method: 'put',
      path: '/v1/apps/{appId}/image',
      summary: 'Set the image of an application',
      permission: update,
      params: appPath,
      body: imageBody,
      bodySize: 'image',
      status: 200,
      output: appRecord,
      run: ({ principal, params, body }) => apps.setImage(principal, params.appId, body),
    }),
    defineOperation({
      operationId: 'getAppByToken',
      service: 'apps',
      method: 'get',
      path: '/v1/apps/by-token/{appToken}',
      summary: 'Get an application by its token',
      permission: read,
      params: z.object({ appToken: z.string().min(1).max(512) }),
      status: 200,
      output: appRecord,
      run: ({ principal, params }) => apps.byToken(principal, new Secret(params.appToken)),
    }),
    defineOperation({
      operationId: 'getApp',
      service: 'apps',
      method: 'get',
      path: '/v1/apps/{appId}',
      summary: 'Get an application',
      permission: read,
      params: appPath,
      status: 200,
      output: appRecord,
      run: ({ principal, params }) => apps.get(principal, params.appId),
    }),
    defineOperation({
      operationId: 'listAppsOfProject',
      service: 'apps',
      method: 'get',
      path: '/v1/apps/projects/{project}',
      summary: 'List the applications of a project',
      permission: read,
      params: z.object({ project: fields.id }),
      query: z.object({ resourceId: resourceIdFilter, ...pagingParameters(appSortKeys) }),
      status: 200,
      output: pageSchema('AppPage', appRecord),
      pageType: 'AppPage',
      run: ({ principal, params, query }) => apps.listOfProject(principal, params.project, query),
    }),
    defineOperation({
      operationId: 'issueAppToken',
      service: 'apps',
      method: 'post',
      path: '/v1/apps/{appId}/token',
      summary: 'Issue or rotate the ApplicationToken; it is shown once',
      permission: { needs: 'app:manage', on: 'record', gives: true },
      params: appPath,
      status: 201,
      output: z.object({ appId: z.string(), appToken: z.string() }).meta({ id: 'IssuedAppToken' }),
      creates: true,
      secret: true,
      current: true,
      run: ({ principal, params, claim }) => apps.issueToken(principal, params.appId, claim),
    }),
  ];
}
