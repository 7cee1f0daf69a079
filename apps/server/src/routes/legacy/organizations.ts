import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { pagingParameters } from '@ledger-ops/base';
import { created, ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { fields, imageBody, imageExample } from '../admin/fields.ts';
import { createdAs } from './answers.ts';
import { organizationPage, organizationQuery } from './listings.ts';
import { organization, organizationRecord, project, projectRecord } from './records.ts';
import { idIn, references, resourceIdFilter } from './references.ts';

const service = 'organization-projects';
const projectPage = pageKind('ProjectPage', projectRecord, 'The result.');
const organizationPath = z.object({ organizationId: fields.id });

export function organizationRoutes({ organizations, projects }: Admin): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/organizations',
      operationId: 'listOrganizations',
      summary: 'List organizations',
      service,
      permission: { needs: 'organization:read', on: 'record' },
      deprecated: true,
      query: organizationQuery,
      answers: organizationPage.answers,
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        organizationPage.answer(query, await organizations.list(principal, query), organization.present),
    }),
    defineRoute({
      method: 'post',
      path: '/v1/organizations',
      operationId: 'createOrganization',
      summary: 'Create an organization',
      service,
      permission: { needs: 'organization:create', on: 'record' },
      deprecated: true,
      query: z.object({ assignAuthenticatedUser: fields.flag(true) }),
      body: jsonBody(z.object({ name: fields.name, organizationID: fields.id.optional() }), {
        name: 'Example',
        organizationID: 'example',
      }),
      ...createdAs(organizationRecord, organization.present),
      pointers: organization.pointers,
      problems: ['not-found', 'conflict', 'already-exists'],
      async handle({ principal, query, body: { name, organizationID: organizationId }, claim }) {
        const input = { name, organizationId };
        const made = await organizations.create(principal, input, query.assignAuthenticatedUser, claim);
        return created(organization.present(made));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/organizations/{organizationId}',
      operationId: 'getOrganization',
      summary: 'Get an organization',
      service,
      permission: { needs: 'organization:read', on: 'record' },
      deprecated: true,
      params: organizationPath,
      answers: answered(organizationRecord),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(organization.present(await organizations.get(principal, params.organizationId))),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/organizations/{organizationId}/image',
      operationId: 'setOrganizationImage',
      summary: 'Set the image of an organization',
      service,
      permission: { needs: 'organization:update', on: 'record' },
      deprecated: true,
      params: organizationPath,
      body: jsonBody(imageBody, imageExample, 'image'),
      answers: answered(organizationRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params, body }) =>
        ok(organization.present(await organizations.setImage(principal, params.organizationId, body))),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/projects',
      operationId: 'listProjects',
      summary: 'List the projects of an organization',
      service,
      permission: { needs: 'project:read', on: 'record' },
      deprecated: true,
      query: z.object({
        organization: fields.id,
        resourceId: resourceIdFilter,
        ...pagingParameters({
          ...project.sortKeys('id', 'name', 'projectID', 'resourceId', 'resourceUUID'),
          dateCreated: 'createdAt',
        }),
      }),
      answers: projectPage.answers,
      problems: ['not-found'],
      async handle({ principal, query: { organization: organizationId, ...query } }) {
        const found = await projects.list(principal, { ...query, organizationId });
        return projectPage.answer(query, found, project.present);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/projects',
      operationId: 'createProject',
      summary: 'Create a project',
      service,
      permission: { needs: 'project:create', on: 'record', also: ['organization:read'] },
      deprecated: true,
      body: jsonBody(
        z.object({
          name: fields.name,
          projectID: fields.id.optional(),
          organization: references.organization,
        }),
        { name: 'Payments', projectID: 'payments', organization: { organizationID: 'example' } },
      ),
      ...createdAs(projectRecord, project.present),
      pointers: [...project.pointers, ['/organizationId', '/organization']],
      problems: ['not-found', 'conflict', 'already-exists'],
      async handle({ principal, body: { name, projectID: projectId, organization: above }, claim }) {
        const organizationId = idIn(above, 'organizationID', 'resourceUUID', 'resourceId');
        const made = await projects.create(principal, { name, projectId, organizationId }, claim);
        return created(project.present(made));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/projects/{projectId}',
      operationId: 'getProject',
      summary: 'Get a project',
      service,
      permission: { needs: 'project:read', on: 'record' },
      deprecated: true,
      params: z.object({ projectId: fields.id }),
      answers: answered(projectRecord),
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(project.present(await projects.get(principal, params.projectId))),
    }),
  ];
}
