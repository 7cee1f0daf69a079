import { z } from '@hono/zod-openapi';
import type {
  AppIdentityRoleView,
  AppView,
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

export const organizationSchema = z
  .object({ organizationId: z.string(), uid, name: z.string(), imageUrl: z.string().nullable() })
  .openapi('AdminOrganization');
export function organizationBody({ organizationID, resourceUUID, name, imageURL }: OrganizationView) {
  return { organizationId: organizationID, uid: resourceUUID, name, imageUrl: imageURL };
}

export const projectSchema = z
  .object({ projectId: z.string(), uid, name: z.string(), organizationId: z.string() })
  .openapi('AdminProject');
export function projectBody({ projectID, resourceUUID, name, organization }: ProjectView) {
  return { projectId: projectID, uid: resourceUUID, name, organizationId: organization.organizationID };
}

export const appSchema = z
  .object({
    ...{ appId: z.string(), uid, name: z.string(), projectId: z.string() },
    ...{ appUrl: z.string().nullable(), imageUrl: z.string().nullable() },
    redirectUris: z.array(z.string()),
  })
  .openapi('AdminApp');
export function appBody({ appId, resourceUUID, name, projectId, appURL, imageURL, redirectUris }: AppView) {
  return { appId, uid: resourceUUID, name, projectId, appUrl: appURL, imageUrl: imageURL, redirectUris };
}

export const accountSchema = z
  .object({
    accountId: z.string(),
    serviceId: id('Of its identity: who it is in tokens, roles and the timeline.'),
    ...{ name: z.string(), email: z.string(), projectId: z.string() },
    createdBy: id('serviceId.'),
    ...{ createdAt: time, updatedAt: time },
  })
  .openapi('AdminAccount');
export function accountBody(account: ServiceAccountView) {
  const { accountId, serviceId, name, email, project, createdBy, dateCreated, dateUpdated } = account;
  return {
    ...{ accountId, serviceId, name, email, projectId: project, createdBy },
    ...{ createdAt: rfc3339(dateCreated), updatedAt: rfc3339(dateUpdated) },
  };
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
