import { z } from '@hono/zod-openapi';
import type {
  AppIdentityRoleView,
  AppView,
  IdentityView,
  InvitationView,
  OrganizationView,
  ProjectView,
  ResourceIdentityRoleView,
  RoleView,
  ServiceAccountView,
} from '@ledger-ops/auth';
import { rfc3339 } from '../../present/dates.ts';

const id = (description: string) => z.string().openapi({ description });
const uid = id('Names it everywhere, and never changes.');
const time = z.string().openapi({ format: 'date-time' });
const archivedAt = time.nullable().openapi({
  description: 'Since when it, or what it stands in, is archived; null: it is not.',
});
/** Milliseconds since the epoch, of what is archived. */
const since = (at: number | undefined) => ({ archivedAt: at === undefined ? null : rfc3339(at) });

export const organizationSchema = z
  .object({ organizationId: z.string(), uid, name: z.string(), imageUrl: z.string().nullable(), archivedAt })
  .openapi('AdminOrganization');
export function organizationBody(
  { organizationID, resourceUUID, name, imageURL }: OrganizationView,
  archivedAt?: number,
) {
  return {
    ...{ organizationId: organizationID, uid: resourceUUID, name, imageUrl: imageURL },
    ...since(archivedAt),
  };
}

export const projectSchema = z
  .object({ projectId: z.string(), uid, name: z.string(), organizationId: z.string(), archivedAt })
  .openapi('AdminProject');
export function projectBody(
  { projectID, resourceUUID, name, organization }: ProjectView,
  archivedAt?: number,
) {
  const { organizationID: organizationId } = organization;
  return { projectId: projectID, uid: resourceUUID, name, organizationId, ...since(archivedAt) };
}

export const appSchema = z
  .object({
    ...{ appId: z.string(), uid, name: z.string(), projectId: z.string() },
    ...{ appUrl: z.string().nullable(), imageUrl: z.string().nullable() },
    redirectUris: z.array(z.string()),
    formerToken: z
      .boolean()
      .openapi({ description: 'The token before the last one counts too, until it is ended.' }),
    archivedAt,
  })
  .openapi('AdminApp');
export function appBody(app: AppView, archivedAt?: number) {
  const { appId, resourceUUID, name, projectId, appURL, imageURL, redirectUris, formerToken } = app;
  return {
    ...{ appId, uid: resourceUUID, name, projectId, appUrl: appURL, imageUrl: imageURL },
    ...{ redirectUris, formerToken, ...since(archivedAt) },
  };
}

export const accountSchema = z
  .object({
    accountId: z.string(),
    serviceId: id('Of its identity: who it is in tokens, roles and the timeline.'),
    ...{ name: z.string(), email: z.string(), projectId: z.string() },
    createdBy: id('serviceId.'),
    ...{ createdAt: time, updatedAt: time, archivedAt },
  })
  .openapi('AdminAccount');
export function accountBody(account: ServiceAccountView, archivedAt?: number) {
  const { accountId, serviceId, name, email, project, createdBy, dateCreated, dateUpdated } = account;
  return {
    ...{ accountId, serviceId, name, email, projectId: project, createdBy },
    ...{ createdAt: rfc3339(dateCreated), updatedAt: rfc3339(dateUpdated), ...since(archivedAt) },
  };
}

export const meSchema = z
  .object({
    serviceId: id('Who the caller is in tokens, roles and the timeline.'),
    type: z.enum(['USER', 'SERVICE', 'SAML']),
    identifier: id('The person’s address, or that of the account.'),
    name: z.string().nullable(),
  })
  .openapi('AdminMe');
export function meBody({ serviceId, type, identifier, identityProfile }: IdentityView) {
  return { serviceId, type, identifier, name: identityProfile.displayName };
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
  return { role: name, heldBy: roleType, description, permissions: permissions.map(({ action }) => action) };
}

const resource = {
  resourceUid: z.string(),
  resourceId: z.string(),
  resourceType: z.string(),
};
function resourceBody({ resourceUUID, resourceID, type }: ResourceIdentityRoleView['resource']) {
  return { resourceUid: resourceUUID, resourceId: resourceID, resourceType: type.name };
}

export const roleGrantSchema = z
  .object({
    serviceId: z.string(),
    identifier: id('The person’s address, or that of the account.'),
    ...resource,
    role: z.string(),
  })
  .openapi('AdminRoleGrant');
export function roleGrantBody({ identity, resource, role }: ResourceIdentityRoleView) {
  const { serviceId, identifier } = identity;
  return { serviceId, identifier, ...resourceBody(resource), role: role.name };
}

export const appRoleGrantSchema = z
  .object({ appId: z.string(), role: z.string() })
  .openapi('AdminAppRoleGrant');
export function appRoleGrantBody({ app, role }: AppIdentityRoleView) {
  return { appId: app.appId, role: role.name };
}

export const invitationSchema = z
  .object({
    invitationId: z.int(),
    invitationToken: id('Names the invitation to who was invited; proves nothing.'),
    organizationId: z.string(),
    email: z.string(),
    state: z.string(),
    subject: z.string().nullable(),
    message: z.string().nullable(),
    roles: z.array(z.object({ ...resource, role: z.string() })),
    createdBy: id('serviceId.'),
    ...{ createdAt: time, expiresAt: time },
  })
  .openapi('AdminInvitation');
export function invitationBody(invitation: InvitationView) {
  const { id: invitationId, invitationToken, organizationId, userEmail, invitationState } = invitation;
  const { emailSubject, message, createdByIdentity, dateCreated, dateExpires } = invitation;
  return {
    ...{ invitationId, invitationToken, organizationId, email: userEmail, state: invitationState },
    ...{ subject: emailSubject, message, createdBy: createdByIdentity.serviceId },
    roles: invitation.invitationResourceRoles.map(({ resource, role }) => ({
      ...resourceBody(resource),
      role: role.name,
    })),
    ...{ createdAt: rfc3339(dateCreated), expiresAt: rfc3339(dateExpires) },
  };
}
