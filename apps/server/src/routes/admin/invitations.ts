import { z } from '@hono/zod-openapi';
import { type Admin, invitationRecord, resourceTypes } from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, optionalBody, type Route } from '../../http/route.ts';
import { answered, createdAs } from './answers.ts';
import { exampleIds, fields, idIn, references, resourceIdFilter } from './fields.ts';
import {
  identityPage,
  identityPaging,
  organizationPage,
  organizationQuery,
  resourceFilters,
  resourceIdentityRolePage,
  resourcePage,
  resourcePaging,
  rolePaging,
} from './listings.ts';

const service = 'invitations';
const prefix = '/v1/invitations';
const invite = { needs: 'organization:invite', on: 'record' } as const;
const read = { needs: '<type>:read', on: 'record' } as const;
const token = z.string().min(1).max(512);

const newInvitation = z.object({
  userEmail: fields.email,
  emailSubject: fields.subject.nullish(),
  message: fields.message.nullish(),
  organizationId: fields.id.nullish(),
  invitationResourceRoles: z
    .array(z.object({ resource: references.resource, role: references.role }))
    .max(50)
    .default([]),
});
const answer = z.object({
  id: z.int().nonnegative().optional(),
  invitationToken: token.nullish(),
  invitationState: z.enum(['ACCEPTED', 'REJECTED', 'CANCELED']).optional(),
});

/** Invitations, and the listings that a page of invitations needs (section 4.6). */
export function invitationRoutes(admin: Admin): Route[] {
  return [...inviting(admin), ...listings(admin)];
}

function inviting({ invitations }: Admin): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: prefix,
      operationId: 'listInvitations',
      summary: 'List invitations by their state',
      service,
      permission: invite,
      deprecated: true,
      query: z.object({
        invitationState: invitationRecord.shape.invitationState,
        resourceId: resourceIdFilter,
      }),
      answers: answered(z.array(invitationRecord)),
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        ok(await invitations.list(principal, query.invitationState, query.resourceId)),
    }),
    defineRoute({
      method: 'post',
      path: prefix,
      operationId: 'inviteUser',
      summary: 'Invite a user into an organization',
      description:
        'The mail says who invites and into what, quotes `emailSubject` and `message`, and holds a secret with which somebody who has no account sets a first password (`initToken` of `POST /v1/auth/init-user`). `invitationToken` names the invitation and proves nothing. With `saml` the mail holds no secret. Mails are bounded per organization and per address.',
      service,
      permission: { ...invite, gives: true },
      deprecated: true,
      query: z.object({ saml: fields.flag(false), organizationId: fields.id.optional() }),
      body: jsonBody(newInvitation, {
        userEmail: 'grace@example.com',
        organizationId: 'example',
        message: 'Welcome.',
        invitationResourceRoles: [
          { resource: { resourceUUID: exampleIds.project }, role: { name: 'viewer' } },
        ],
      }),
      ...createdAs(invitationRecord),
      problems: ['not-found', 'conflict', 'already-exists', 'too-many-requests'],
      handle: async ({ principal, query, body, claim }) =>
        created(
          await invitations.create(
            principal,
            {
              organizationId: organizationOf(query.organizationId, body.organizationId ?? undefined),
              userEmail: body.userEmail,
              emailSubject: body.emailSubject,
              message: body.message,
              saml: query.saml,
              roles: body.invitationResourceRoles.map(({ resource, role }) => ({
                resource: idIn(resource, 'resourceUUID', 'resourceID'),
                role: idIn(role, 'name'),
              })),
            },
            claim,
          ),
        ),
    }),
    defineRoute({
      method: 'put',
      path: prefix,
      operationId: 'respondToInvitation',
      summary: 'Accept, reject or cancel an invitation',
      description:
        'Accepted and rejected by the identity of the address that was invited, cancelled by the inviter or who may invite. `invitationToken` in the query accepts; in the body, `invitationState` says what is answered.',
      service,
      permission: { needs: 'organization:invite', on: 'self' },
      deprecated: true,
      query: z.object({ invitationToken: token.optional() }),
      body: optionalBody(jsonBody(answer, { invitationToken: 'inv_…', invitationState: 'REJECTED' })),
      answers: answered(invitationRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, query, body }) =>
        ok(await invitations.respond(principal, responseOf(query.invitationToken, body))),
    }),
  ];
}

function listings(admin: Admin): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${prefix}/organizations`,
      operationId: 'listOrganizationsForInvitation',
      summary: 'List organizations',
      service,
      permission: { needs: 'organization:read', on: 'record' },
      deprecated: true,
      query: organizationQuery,
      answers: answered(organizationPage),
      problems: ['not-found'],
      handle: async ({ principal, query }) => ok(await admin.organizations.list(principal, query)),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/identities/{identityId}/resource-identity-roles`,
      operationId: 'listResourceIdentityRolesOfIdentityForInvitation',
      summary: 'List the roles of an identity',
      service,
      permission: read,
      deprecated: true,
      params: z.object({ identityId: fields.id }),
      query: z.object({ resource: z.string().max(320).optional(), ...rolePaging }),
      answers: answered(resourceIdentityRolePage),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(await admin.roles.listOfIdentity(principal, params.identityId, query)),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/identities`,
      operationId: 'listIdentitiesForInvitation',
      summary: 'List the identities that hold a role on resources',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ resources: fields.ids.min(1), ...identityPaging }),
      answers: answered(identityPage),
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        ok(await admin.identities.onResources(principal, query.resources, query)),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/resource-identity-roles`,
      operationId: 'listResourceIdentityRolesForInvitation',
      summary: 'List the roles that identities hold on a resource',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ resource: fields.id, ...rolePaging }),
      answers: answered(resourceIdentityRolePage),
      problems: ['not-found'],
      handle: async ({ principal, query }) => ok(await admin.roles.listOnResource(principal, query)),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/resources`,
      operationId: 'listResourcesForInvitation',
      summary: 'List resources of a type',
      service,
      permission: read,
      deprecated: true,
      query: z.object({
        resourceType: z.enum(resourceTypes),
        ...resourceFilters,
        ...resourcePaging,
      }),
      answers: answered(resourcePage),
      problems: ['not-found'],
      handle: async ({ principal, query: { resourceType, ...query } }) =>
        ok(
          await admin.resources.listAll(principal, resourceType, {
            ...query,
            lookupTerm: [],
            lookupTermStrategy: 'OR',
          }),
        ),
    }),
  ];
}

/** From the query or from the body; both and different is refused. */
function organizationOf(inQuery: string | undefined, inBody: string | undefined): string {
  const id = inQuery ?? inBody;
  if (id === undefined) throw invalidRequest([{ pointer: '/organizationId', detail: 'is required' }]);
  if (inBody === undefined || inBody === id) return id;
  throw invalidRequest([
    { pointer: '/organizationId', detail: 'is another organization than the parameter organizationId' },
  ]);
}

/** In the query it accepts; a body says what is answered. */
function responseOf(inQuery: string | undefined, body: z.infer<typeof answer> | undefined) {
  const inBody = body?.invitationToken ?? undefined;
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidRequest([
      { pointer: '/invitationToken', detail: 'is another token than the parameter invitationToken' },
    ]);
  }
  const text = inQuery ?? inBody;
  const move = body?.invitationState ?? (inQuery === undefined ? undefined : 'ACCEPTED');
  if (move === undefined) throw invalidRequest([{ pointer: '/invitationState', detail: 'is required' }]);
  if (text === undefined && body?.id === undefined) {
    throw invalidRequest([{ pointer: '/invitationToken', detail: 'is required' }]);
  }
  return { token: text, id: body?.id, move };
}
