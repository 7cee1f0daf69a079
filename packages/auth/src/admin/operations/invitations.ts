import { invalidRequest, pagingParameters } from '@ledger-ops/base';
import { z } from 'zod';
import { resourceTypes } from '../../types.ts';
import type { Admin } from '../create-admin.ts';
import { fields, idIn, references, resourceIdFilter } from '../fields.ts';
import { identitySortKeys } from '../identities.ts';
import { invitationRecord } from '../invitation-records.ts';
import { invitationMoves, invitationStates } from '../invitation-states.ts';
import { type AdminOperation, defineOperation } from '../operation.ts';
import { resourceSortKeys } from '../resources.ts';
import { roleSortKeys } from '../role-grants.ts';
import { organizationPage, organizationQuery } from './organizations.ts';
import { identityPage, resourceFilters, resourceIdentityRolePage, resourcePage } from './resource-manager.ts';

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
  invitationState: z.enum(invitationMoves).optional(),
});

/** Invitations, and the listings that a page of invitations needs (section 4.6). */
export function invitationOperations(admin: Admin): AdminOperation[] {
  return [...inviting(admin), ...listings(admin)];
}

function inviting({ invitations }: Admin): AdminOperation[] {
  return [
    defineOperation({
      operationId: 'listInvitations',
      service,
      method: 'get',
      path: prefix,
      summary: 'List invitations by their state',
      permission: invite,
      query: z.object({ invitationState: z.enum(invitationStates), resourceId: resourceIdFilter }),
      status: 200,
      output: z.array(invitationRecord),
      run: ({ principal, query }) => invitations.list(principal, query.invitationState, query.resourceId),
    }),
    defineOperation({
      operationId: 'inviteUser',
      service,
      method: 'post',
      path: prefix,
      summary: 'Invite a user into an organization',
      description:
        'The mail says who invites and into what, quotes `emailSubject` and `message`, and holds a secret with which somebody who has no account sets a first password (`initToken` of `POST /v1/auth/init-user`). `invitationToken` names the invitation and proves nothing. With `saml` the mail holds no secret. Mails are bounded per organization and per address.',
      permission: { ...invite, gives: true },
      query: z.object({ saml: fields.flag(false), organizationId: fields.id.optional() }),
      body: newInvitation,
      status: 201,
      output: invitationRecord,
      creates: true,
      problems: ['too-many-requests'],
      run: ({ principal, query, body, claim }) =>
        invitations.create(
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
    }),
    defineOperation({
      operationId: 'respondToInvitation',
      service,
      method: 'put',
      path: prefix,
      summary: 'Accept, reject or cancel an invitation',
      description:
        'Accepted and rejected by the identity of the address that was invited, cancelled by the inviter or who may invite. `invitationToken` in the query accepts; in the body, `invitationState` says what is answered.',
      permission: { needs: 'organization:invite', on: 'self' },
      query: z.object({ invitationToken: token.optional() }),
      body: answer.optional(),
      status: 200,
      output: invitationRecord,
      run: ({ principal, query, body }) =>
        invitations.respond(principal, responseOf(query.invitationToken, body)),
    }),
  ];
}

function listings(admin: Admin): AdminOperation[] {
  return [
    defineOperation({
      operationId: 'listOrganizationsForInvitation',
      service,
      method: 'get',
      path: `${prefix}/organizations`,
      summary: 'List organizations',
      permission: { needs: 'organization:read', on: 'record' },
      query: organizationQuery,
      status: 200,
      output: organizationPage,
      pageType: 'OrganizationPage',
      run: ({ principal, query }) => admin.organizations.list(principal, query),
    }),
    defineOperation({
      operationId: 'listResourceIdentityRolesOfIdentityForInvitation',
      service,
      method: 'get',
      path: `${prefix}/identities/{identityId}/resource-identity-roles`,
      summary: 'List the roles of an identity',
      permission: read,
      params: z.object({ identityId: fields.id }),
      query: z.object({ resource: z.string().max(320).optional(), ...pagingParameters(roleSortKeys) }),
      status: 200,
      output: resourceIdentityRolePage,
      pageType: 'ResourceIdentityRolePage',
      run: ({ principal, params, query }) => admin.roles.listOfIdentity(principal, params.identityId, query),
    }),
    defineOperation({
      operationId: 'listIdentitiesForInvitation',
      service,
      method: 'get',
      path: `${prefix}/identities`,
      summary: 'List the identities that hold a role on resources',
      permission: read,
      query: z.object({ resources: fields.ids.min(1), ...pagingParameters(identitySortKeys) }),
      status: 200,
      output: identityPage,
      pageType: 'IdentityPage',
      run: ({ principal, query }) => admin.identities.onResources(principal, query.resources, query),
    }),
    defineOperation({
      operationId: 'listResourceIdentityRolesForInvitation',
      service,
      method: 'get',
      path: `${prefix}/resource-identity-roles`,
      summary: 'List the roles that identities hold on a resource',
      permission: read,
      query: z.object({ resource: fields.id, ...pagingParameters(roleSortKeys) }),
      status: 200,
      output: resourceIdentityRolePage,
      pageType: 'ResourceIdentityRolePage',
      run: ({ principal, query }) => admin.roles.listOnResource(principal, query),
    }),
    defineOperation({
      operationId: 'listResourcesForInvitation',
      service,
      method: 'get',
      path: `${prefix}/resources`,
      summary: 'List resources of a type',
      permission: read,
      query: z.object({
        resourceType: z.enum(resourceTypes),
        ...resourceFilters,
        ...pagingParameters(resourceSortKeys),
      }),
      status: 200,
      output: resourcePage,
      pageType: 'ResourcePage',
      run: ({ principal, query: { resourceType, ...query } }) =>
        admin.resources.listAll(principal, resourceType, {
          ...query,
          lookupTerm: [],
          lookupTermStrategy: 'OR',
        }),
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
