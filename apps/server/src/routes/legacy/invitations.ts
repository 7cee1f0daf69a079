import { z } from '@hono/zod-openapi';
import { type Admin, resourceTypes } from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import { created, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, optionalBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { exampleIds, fields } from '../admin/fields.ts';
import { createdAs } from './answers.ts';
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
import {
  identity,
  invitation,
  invitationRecord,
  organization,
  resource,
  resourceIdentityRole,
} from './records.ts';
import { idIn, references, resourceIdFilter } from './references.ts';

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

/** Invitations, and the lists that the invitation page needs (specification, section 4.6). */
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
        ok(
          (await invitations.list(principal, query.invitationState, query.resourceId)).map(
            invitation.present,
          ),
        ),
    }),
    defineRoute({
      method: 'post',
      path: prefix,
      operationId: 'inviteUser',
      summary: 'Invite a user to an organization',
      description:
        'The mail names the inviter and the organization, quotes `emailSubject` and `message`, and contains a secret that lets a person without an account set a first password (`initToken` of `POST /v1/auth/init-user`). `invitationToken` identifies the invitation and is not a credential. With `saml`, the mail contains no secret. Mails are limited per organization and per address.',
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
      ...createdAs(invitationRecord, invitation.present),
      pointers: ({ body }) => [
        ...body.invitationResourceRoles.map(
          (_, at) => [`/roles/${at}/resourceId`, `/invitationResourceRoles/${at}/resource`] as const,
        ),
        ['/roles', '/invitationResourceRoles'],
        ...invitation.pointers,
      ],
      problems: ['not-found', 'conflict', 'already-exists', 'too-many-requests'],
      async handle({ principal, query, body, claim }) {
        const made = await invitations.create(
          principal,
          {
            organizationId: organizationOf(query.organizationId, body.organizationId ?? undefined),
            email: body.userEmail,
            subject: body.emailSubject,
            message: body.message,
            saml: query.saml,
            roles: body.invitationResourceRoles.map(({ resource, role }) => ({
              resourceId: idIn(resource, 'resourceUUID', 'resourceID'),
              role: idIn(role, 'name'),
            })),
          },
          claim,
        );
        return created(invitation.present(made.invitation));
      },
    }),
    defineRoute({
      method: 'put',
      path: prefix,
      operationId: 'respondToInvitation',
      summary: 'Accept, reject or cancel an invitation',
      description:
        'The identity with the invited address accepts or rejects; the inviter, and callers who may invite, cancel. `invitationToken` in the query accepts the invitation; a body states the response in `invitationState`.',
      service,
      permission: { needs: 'organization:invite', on: 'self' },
      deprecated: true,
      query: z.object({ invitationToken: token.optional() }),
      body: optionalBody(jsonBody(answer, { invitationToken: 'inv_…', invitationState: 'REJECTED' })),
      answers: answered(invitationRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, query, body }) =>
        ok(invitation.present(await invitations.respond(principal, responseOf(query.invitationToken, body)))),
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
      answers: organizationPage.answers,
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        organizationPage.answer(
          query,
          await admin.organizations.list(principal, query),
          organization.present,
        ),
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
      answers: resourceIdentityRolePage.answers,
      problems: ['not-found'],
      async handle({ principal, params, query: { resource: resourceId, ...query } }) {
        const found = await admin.roles.listOfIdentity(principal, params.identityId, {
          ...query,
          resourceId,
        });
        return resourceIdentityRolePage.answer(query, found, resourceIdentityRole.present);
      },
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
      answers: identityPage.answers,
      problems: ['not-found'],
      handle: async ({ principal, query }) =>
        identityPage.answer(
          query,
          await admin.identities.onResources(principal, query.resources, query),
          identity.present,
        ),
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
      answers: resourceIdentityRolePage.answers,
      problems: ['not-found'],
      async handle({ principal, query: { resource: resourceId, ...query } }) {
        const found = await admin.roles.listOnResource(principal, { ...query, resourceId });
        return resourceIdentityRolePage.answer(query, found, resourceIdentityRole.present);
      },
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
      answers: resourcePage.answers,
      problems: ['not-found'],
      handle: async ({ principal, query: { resourceType, ...query } }) =>
        resourcePage.answer(
          query,
          await admin.resources.listAll(principal, resourceType, {
            ...query,
            lookupTerm: [],
            lookupTermStrategy: 'OR',
          }),
          resource.present,
        ),
    }),
  ];
}

/** Returns the organization from the query or the body; rejects different values. */
function organizationOf(inQuery: string | undefined, inBody: string | undefined): string {
  const id = inQuery ?? inBody;
  if (id === undefined) throw invalidRequest([{ pointer: '/organizationId', detail: 'is required' }]);
  if (inBody === undefined || inBody === id) return id;
  throw invalidRequest([{ pointer: '/organizationId', detail: 'differs from the parameter organizationId' }]);
}

/** Determines the response to an invitation. A token in the query accepts; a body states the response. */
function responseOf(inQuery: string | undefined, body: z.infer<typeof answer> | undefined) {
  const inBody = body?.invitationToken ?? undefined;
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidRequest([
      { pointer: '/invitationToken', detail: 'differs from the parameter invitationToken' },
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
