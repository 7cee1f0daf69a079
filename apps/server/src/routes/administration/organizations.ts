import { z } from '@hono/zod-openapi';
import type { Admin, OrganizationView, ProjectView } from '@ledger-ops/auth';
import { withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { fields, imageExample } from '../admin/fields.ts';
import { archivedQuery, archiveRoutes, presenter } from './archive.ts';
import { at, creation } from './creation.ts';
import { pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { imageBody } from './image.ts';
import { organizationBody, organizationSchema, projectBody, projectSchema } from './records.ts';

const service = 'administration';
const organizations = '/v1/admin/organizations';
const projects = '/v1/admin/projects';

export function organizationRoutes(admin: Admin): Route[] {
  const { organizations: functions } = admin;
  const shown = presenter(
    admin.archive,
    ({ resourceUUID }: OrganizationView) => resourceUUID,
    organizationBody,
  );
  const params = z.object({ organizationId: fields.id });
  const { answer, ...created } = creation(organizationSchema, organizationBody, ({ organizationID }) =>
    at(organizations, organizationID),
  );
  return [
    defineRoute({
      method: 'get',
      path: organizations,
      operationId: 'adminListOrganizations',
      summary: 'List organizations',
      service,
      permission: { needs: 'organization:read', on: 'record' },
      query: z.strictObject({
        ...pageQuery,
        ...archivedQuery,
        all: fields.flag(false).describe('Also those in which the caller holds no role itself.'),
      }),
      answers: answered(pageOfSchema('AdminOrganizationPage', organizationSchema)),
      async handle({ principal, query: { all, archived, ...page } }) {
        const paging = pagingOf(page);
        return await shown.page(await functions.list(principal, { ...paging, all, archived }));
      },
    }),
    defineRoute({
      method: 'post',
      path: organizations,
      operationId: 'adminCreateOrganization',
      summary: 'Create an organization',
      service,
      permission: { needs: 'organization:create', on: 'record' },
      body: jsonBody(
        z.strictObject({
          organizationId: fields.id.optional(),
          name: fields.name,
          own: z.boolean().default(true).describe('Whether the caller becomes its owner.'),
        }),
        { organizationId: 'example', name: 'Example' },
      ),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: ({ principal, body: { organizationId: organizationID, name, own }, claim }) =>
        withPointers([['/organizationID', '/organizationId']], async () =>
          answer(await functions.create(principal, { name, organizationID }, own, claim)),
        ),
    }),
    defineRoute({
      method: 'get',
      path: `${organizations}/{organizationId}`,
      operationId: 'adminGetOrganization',
      summary: 'Get an organization',
      service,
      permission: { needs: 'organization:read', on: 'record' },
      params,
      answers: answered(organizationSchema),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        shown.one(await functions.get(principal, params.organizationId)),
    }),
    defineRoute({
      method: 'put',
      path: `${organizations}/{organizationId}/image`,
      operationId: 'adminSetOrganizationImage',
      summary: 'Set the image of an organization',
      service,
      permission: { needs: 'organization:update', on: 'record' },
      params,
      body: jsonBody(imageBody, imageExample, 'image'),
      answers: answered(organizationSchema),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params, body }) =>
        shown.one(await functions.setImage(principal, params.organizationId, body)),
    }),
    ...archiveRoutes(admin, {
      ...{ type: 'organization', path: `${organizations}/{organizationId}`, id: 'organizationId', params },
      ...{ name: 'Organization', one: 'an organization', schema: organizationSchema },
      show: async (principal, id) => shown.one(await functions.get(principal, id)),
    }),
  ];
}

export function projectRoutes(admin: Admin): Route[] {
  const { projects: functions } = admin;
  const shown = presenter(admin.archive, ({ resourceUUID }: ProjectView) => resourceUUID, projectBody);
  const params = z.object({ projectId: fields.id });
  const { answer, ...created } = creation(projectSchema, projectBody, ({ projectID }) =>
    at(projects, projectID),
  );
  return [
    defineRoute({
      method: 'get',
      path: projects,
      operationId: 'adminListProjects',
      summary: 'List projects that the caller may see, of one organization or of all',
      service,
      permission: { needs: 'project:read', on: 'record' },
      query: z.strictObject({ ...pageQuery, ...archivedQuery, organizationId: fields.id.optional() }),
      answers: answered(pageOfSchema('AdminProjectPage', projectSchema)),
      async handle({ principal, query: { organizationId: organization, archived, ...page } }) {
        const paging = pagingOf(page);
        return await shown.page(await functions.list(principal, { ...paging, organization, archived }));
      },
    }),
    defineRoute({
      method: 'post',
      path: projects,
      operationId: 'adminCreateProject',
      summary: 'Create a project',
      description: 'The caller becomes its owner.',
      service,
      permission: { needs: 'project:create', on: 'record', also: ['organization:read'] },
      body: jsonBody(
        z.strictObject({ projectId: fields.id.optional(), name: fields.name, organizationId: fields.id }),
        { projectId: 'payments', name: 'Payments', organizationId: 'example' },
      ),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: ({ principal, body: { projectId: projectID, name, organizationId: organization }, claim }) =>
        withPointers(
          [
            ['/projectID', '/projectId'],
            ['/organization', '/organizationId'],
          ],
          async () => answer(await functions.create(principal, { name, projectID, organization }, claim)),
        ),
    }),
    defineRoute({
      method: 'get',
      path: `${projects}/{projectId}`,
      operationId: 'adminGetProject',
      summary: 'Get a project',
      service,
      permission: { needs: 'project:read', on: 'record' },
      params,
      answers: answered(projectSchema),
      problems: ['not-found'],
      handle: async ({ principal, params }) => shown.one(await functions.get(principal, params.projectId)),
    }),
    ...archiveRoutes(admin, {
      ...{ type: 'project', path: `${projects}/{projectId}`, id: 'projectId', params },
      ...{ name: 'Project', one: 'a project', schema: projectSchema },
      show: async (principal, id) => shown.one(await functions.get(principal, id)),
    }),
  ];
}
