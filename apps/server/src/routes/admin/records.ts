import { z } from '@hono/zod-openapi';
import type {
  AppRoleGrantView,
  AppView,
  BelowGrants,
  IdentityView,
  InvitationView,
  OrganizationView,
  ProjectView,
  RemainingGrants,
  ResourceView,
  RevokedAppRoles,
  RevokedRoles,
  RoleGrantView,
  RoleView,
  ServiceAccountView,
} from '@ledger-ops/auth';
import { rfc3339 } from '../../present/dates.ts';

const id = (description: string) => z.string().openapi({ description });
const uid = id('Globally unique; never changes.');
const time = z.string().openapi({ format: 'date-time' });
const archivedAt = time.nullable().openapi({
  description: 'When the record, or one that contains it, was archived; null if it is not archived.',
});
/** @param at when the record was archived, in milliseconds since the epoch */
const since = (at: number | undefined) => ({ archivedAt: at === undefined ? null : rfc3339(at) });

export const organizationSchema = z
  .object({ organizationId: z.string(), uid, name: z.string(), imageUrl: z.string().nullable(), archivedAt })
  .openapi('AdminOrganization');
export function organizationBody({ id: _id, ...organization }: OrganizationView, archivedAt?: number) {
  return { ...organization, ...since(archivedAt) };
}

export const projectSchema = z
  .object({ projectId: z.string(), uid, name: z.string(), organizationId: z.string(), archivedAt })
  .openapi('AdminProject');
export function projectBody({ id: _id, organization, ...project }: ProjectView, archivedAt?: number) {
  return { ...project, organizationId: organization.organizationId, ...since(archivedAt) };
}

export const appSchema = z
  .object({
    appId: z.string(),
    uid,
    name: z.string(),
    projectId: z.string(),
    appUrl: z.string().nullable(),
    imageUrl: z.string().nullable(),
    redirectUris: z.array(z.string()),
    formerToken: z.boolean().openapi({ description: 'Whether the former token is still valid.' }),
    archivedAt,
  })
  .openapi('AdminApp');
export function appBody({ id: _id, ...app }: AppView, archivedAt?: number) {
  return { ...app, ...since(archivedAt) };
}

export const accountSchema = z
  .object({
    accountId: z.string(),
    serviceId: id('ServiceId of the account’s identity, as in tokens, roles and the timeline.'),
    name: z.string(),
    email: z.string(),
    projectId: z.string(),
    createdBy: id('serviceId.'),
    createdAt: time,
    updatedAt: time,
    archivedAt,
  })
  .openapi('AdminAccount');
export function accountBody(
  { id: _id, updatedBy: _updatedBy, createdAt, updatedAt, ...account }: ServiceAccountView,
  archivedAt?: number,
) {
  return {
    ...account,
    createdAt: rfc3339(createdAt),
    updatedAt: rfc3339(updatedAt),
    ...since(archivedAt),
  };
}

export const meSchema = z
  .object({
    serviceId: id('ServiceId of the caller, as in tokens, roles and the timeline.'),
    type: z.enum(['USER', 'SERVICE', 'SAML']),
    identifier: id('Address of the person or service account.'),
    name: z.string().nullable(),
  })
  .openapi('AdminMe');
export function meBody({ serviceId, type, identifier, name }: IdentityView) {
  return { serviceId, type, identifier, name };
}

export const roleSchema = z
  .object({
    role: z.string(),
    heldBy: z.enum(['IDENTITY', 'APP']),
    description: z.string(),
    permissions: z.array(z.string()),
  })
  .openapi('AdminRole');
export function roleBody({ name, roleType, description, permissions }: RoleView) {
  return { role: name, heldBy: roleType, description, permissions };
}

const resource = {
  resourceUid: z.string(),
  resourceId: z.string(),
  resourceType: z.string(),
};
function resourceBody({ uid, resourceId, type }: ResourceView) {
  return { resourceUid: uid, resourceId, resourceType: type };
}

export const roleGrantSchema = z
  .object({
    serviceId: z.string(),
    identifier: id('Address of the person or service account.'),
    ...resource,
    role: z.string(),
  })
  .openapi('AdminRoleGrant');
export function roleGrantBody({ identity, resource, role }: RoleGrantView) {
  const { serviceId, identifier } = identity;
  return { serviceId, identifier, ...resourceBody(resource), role: role.name };
}

const inheritedGrants = z.array(roleGrantSchema).openapi({
  description:
    'Roles of the identity on parent resources, which also apply to this one, if the caller may read these.',
});

export const remainingGrantsSchema = z
  .object({
    remaining: z
      .int()
      .openapi({ description: 'Roles of the identity on the resource and everything below it.' }),
    remainingGrants: z.array(roleGrantSchema).openapi({ description: 'The 100 oldest of these roles.' }),
    openInvitations: z.int().openapi({
      description: 'Open invitations that offer the identity a role on the resource or below it.',
    }),
    inheritedGrants,
  })
  .openapi('AdminRemainingGrants');
export function remainingGrantsBody({ count, grants, openInvitations, inherited }: RemainingGrants) {
  return {
    remaining: count,
    remainingGrants: grants.map(roleGrantBody),
    openInvitations,
    inheritedGrants: inherited.map(roleGrantBody),
  };
}

export const revokedRolesSchema = z
  .object({
    revoked: z.int().openapi({ description: 'Revoked roles.' }),
    withdrawnInvitations: z.int().openapi({ description: 'Open invitations that offered roles.' }),
    inheritedGrants,
  })
  .openapi('AdminRevokedRoles');
export function revokedRolesBody({ revoked, withdrawnInvitations, inherited }: RevokedRoles) {
  return { revoked, withdrawnInvitations, inheritedGrants: inherited.map(roleGrantBody) };
}

export const appRoleGrantSchema = z
  .object({
    appId: z.string(),
    name: id('Name of the application.'),
    ...resource,
    role: z.string(),
  })
  .openapi('AdminAppRoleGrant');
export function appRoleGrantBody({ app, resource, role }: AppRoleGrantView) {
  return { ...app, ...resourceBody(resource), role: role.name };
}

const inheritedAppGrants = z.array(appRoleGrantSchema).openapi({
  description:
    'Roles of the application on parent resources, which also apply to this one, if the caller may read these.',
});

export const remainingAppGrantsSchema = z
  .object({
    remaining: z
      .int()
      .openapi({ description: 'Roles of the application on the resource and everything below it.' }),
    remainingGrants: z.array(appRoleGrantSchema).openapi({ description: 'The 100 oldest of these roles.' }),
    inheritedGrants: inheritedAppGrants,
  })
  .openapi('AdminRemainingAppGrants');
export function remainingAppGrantsBody({ count, grants, inherited }: BelowGrants<AppRoleGrantView>) {
  return {
    remaining: count,
    remainingGrants: grants.map(appRoleGrantBody),
    inheritedGrants: inherited.map(appRoleGrantBody),
  };
}

export const revokedAppRolesSchema = z
  .object({
    revoked: z.int().openapi({ description: 'Revoked roles.' }),
    inheritedGrants: inheritedAppGrants,
  })
  .openapi('AdminRevokedAppRoles');
export function revokedAppRolesBody({ revoked, inherited }: RevokedAppRoles) {
  return { revoked, inheritedGrants: inherited.map(appRoleGrantBody) };
}

export const invitationSchema = z
  .object({
    invitationId: z.int(),
    invitationToken: id('Identifies the invitation for the invited person; not a credential.'),
    organizationId: z.string(),
    email: z.string(),
    state: z.string(),
    subject: z.string().nullable(),
    message: z.string().nullable(),
    roles: z.array(z.object({ ...resource, role: z.string() })),
    createdBy: id('serviceId.'),
    createdAt: time,
    expiresAt: time,
    initLink: z
      .string()
      .optional()
      .describe(
        'Secret link that lets the invited person set a first password. Present only in the response that creates the invitation, if no mail server is configured and the caller is an administrator of the installation.',
      ),
  })
  .openapi('AdminInvitation');
export function invitationBody({ id, token, roles, createdAt, expiresAt, ...invitation }: InvitationView) {
  return {
    invitationId: id,
    invitationToken: token,
    ...invitation,
    roles: roles.map(({ resource, role }) => ({ ...resourceBody(resource), role: role.name })),
    createdAt: rfc3339(createdAt),
    expiresAt: rfc3339(expiresAt),
  };
}
