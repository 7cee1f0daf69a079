import { z } from '@hono/zod-openapi';
import type { Admin, OrganizationView, ProjectView } from '@ledger-ops/auth';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from './answers.ts';
import { archivedQuery, archiveRoutes, presenter } from './archive.ts';
import { at, creation } from './creation.ts';
import { pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { fields, imageExample } from './fields.ts';
import { imageBody } from './image-body.ts';
import { organizationBody, organizationSchema, projectBody, projectSchema } from './records.ts';

const service = 'administration';
const organizations = '/v1/admin/organizations';
const projects = '/v1/admin/projects';

export function organizationRoutes(admin: Admin): Route[] {
  const { organizations: functions } = admin;
  const shown = presenter(admin.archive, ({ uid }: OrganizationView) => uid, organizationBody);
  const params = z.object({ organizationId: fields.id });
  const { answer, ...created } = creation(organizationSchema, organizationBody, ({ organizationId }) =>
    at(organizations, organizationId),
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
        all: fields.flag(false).describe('If true, includes organizations on which the caller has no role.'),
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
          own: z
            .boolean()
            .default(true)
            .describe('Whether the caller becomes the owner of the organization.'),
        }),
        { organizationId: 'example', name: 'Example' },
      ),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body: { own, ...body }, claim }) =>
        answer(await functions.create(principal, body, own, claim)),
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
      type: 'organization',
      path: `${organizations}/{organizationId}`,
      id: 'organizationId',
      params,
      name: 'Organization',
      one: 'an organization',
      schema: organizationSchema,
      show: async (principal, id) => shown.one(await functions.get(principal, id)),
    }),
  ];
}

export function projectRoutes(admin: Admin): Route[] {
  const { projects: functions } = admin;
  const shown = presenter(admin.archive, ({ uid }: ProjectView) => uid, projectBody);
  const params = z.object({ projectId: fields.id });
  const { answer, ...created } = creation(projectSchema, projectBody, ({ projectId }) =>
    at(projects, projectId),
  );
  return [
    defineRoute({
      method: 'get',
      path: projects,
      operationId: 'adminListProjects',
      summary: 'List visible projects, of one organization or of all',
      service,
      permission: { needs: 'project:read', on: 'record' },
      query: z.strictObject({ ...pageQuery, ...archivedQuery, organizationId: fields.id.optional() }),
      answers: answered(pageOfSchema('AdminProjectPage', projectSchema)),
      async handle({ principal, query: { organizationId, archived, ...page } }) {
        const paging = pagingOf(page);
        return await shown.page(await functions.list(principal, { ...paging, organizationId, archived }));
      },
    }),
    defineRoute({
      method: 'post',
      path: projects,
      operationId: 'adminCreateProject',
      summary: 'Create a project',
      description: 'The caller becomes the owner of the project.',
      service,
      permission: { needs: 'project:create', on: 'record', also: ['organization:read'] },
      body: jsonBody(
        z.strictObject({ projectId: fields.id.optional(), name: fields.name, organizationId: fields.id }),
        { projectId: 'payments', name: 'Payments', organizationId: 'example' },
      ),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body, claim }) => answer(await functions.create(principal, body, claim)),
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
      type: 'project',
      path: `${projects}/{projectId}`,
      id: 'projectId',
      params,
      name: 'Project',
      one: 'a project',
      schema: projectSchema,
      show: async (principal, id) => shown.one(await functions.get(principal, id)),
    }),
  ];
}
