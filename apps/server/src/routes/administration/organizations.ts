import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { ok } from '../../http/answer.ts';
import { withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { fields } from '../admin/fields.ts';
import { at, creation } from './creation.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { organizationBody, organizationSchema, projectBody, projectSchema } from './records.ts';

const service = 'administration';
const organizations = '/v1/admin/organizations';
const projects = '/v1/admin/projects';

export function organizationRoutes({ organizations: functions }: Admin): Route[] {
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
        all: fields.flag(false).describe('Also those in which the caller holds no role itself.'),
      }),
      answers: answered(pageOfSchema('AdminOrganizationPage', organizationSchema)),
      async handle({ principal, query: { all, ...page } }) {
        const paging = pagingOf(page);
        return ok(pageOf(paging, await functions.list(principal, { ...paging, all }), organizationBody));
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
      params: z.object({ organizationId: fields.id }),
      answers: answered(organizationSchema),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(organizationBody(await functions.get(principal, params.organizationId))),
    }),
  ];
}

export function projectRoutes({ projects: functions }: Admin): Route[] {
  const { answer, ...created } = creation(projectSchema, projectBody, ({ projectID }) =>
    at(projects, projectID),
  );
  return [
    defineRoute({
      method: 'get',
      path: projects,
      operationId: 'adminListProjects',
      summary: 'List the projects of an organization',
      service,
      permission: { needs: 'project:read', on: 'record' },
      query: z.strictObject({ ...pageQuery, organizationId: fields.id }),
      answers: answered(pageOfSchema('AdminProjectPage', projectSchema)),
      async handle({ principal, query: { organizationId: organization, ...page } }) {
        const paging = pagingOf(page);
        return ok(pageOf(paging, await functions.list(principal, { ...paging, organization }), projectBody));
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
      params: z.object({ projectId: fields.id }),
      answers: answered(projectSchema),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(projectBody(await functions.get(principal, params.projectId))),
    }),
  ];
}
