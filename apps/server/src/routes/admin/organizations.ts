import { z } from '@hono/zod-openapi';
import { type Admin, organizationRecord, projectRecord } from '@ledger-ops/auth';
import { pageSchema, pagingParameters } from '@ledger-ops/base';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered, createdAs } from './answers.ts';
import { fields, idIn, imageBody, imageExample, references, resourceIdFilter } from './fields.ts';
import { organizationPage, organizationQuery } from './listings.ts';

const service = 'organization-projects';
const organizationPath = z.object({ organizationId: fields.id });

/** Organizations and projects (section 4.6). */
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
      answers: answered(organizationPage),
      problems: ['not-found'],
      handle: async ({ principal, query }) => ok(await organizations.list(principal, query)),
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
      ...createdAs(organizationRecord),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, query, body, claim }) =>
        created(await organizations.create(principal, body, query.assignAuthenticatedUser, claim)),
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
      handle: async ({ principal, params }) => ok(await organizations.get(principal, params.organizationId)),
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
        ok(await organizations.setImage(principal, params.organizationId, body)),
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
        ...pagingParameters(['id', 'name', 'projectID', 'resourceId', 'resourceUUID', 'dateCreated']),
      }),
      answers: answered(pageSchema('ProjectPage', projectRecord)),
      problems: ['not-found'],
      handle: async ({ principal, query }) => ok(await projects.list(principal, query)),
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
      ...createdAs(projectRecord),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, body: { organization, ...body }, claim }) =>
        created(
          await projects.create(
            principal,
            {
              ...body,
              organization: idIn(organization, 'organizationID', 'resourceUUID', 'resourceId'),
            },
            claim,
          ),
        ),
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
      handle: async ({ principal, params }) => ok(await projects.get(principal, params.projectId)),
    }),
  ];
}
