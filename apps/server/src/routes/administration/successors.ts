import type { Admin } from '@ledger-ops/auth';
import type { Route } from '../../http/route.ts';
import { accessRoutes } from './access.ts';
import { accountRoutes, appRoutes } from './clients.ts';
import { invitationRoutes } from './invitations.ts';
import { organizationRoutes, projectRoutes } from './organizations.ts';

const grants = '/v1/admin/role-grants';

/** The paths of ours that stand in the place of deprecated operations; of their parameters those go over that they share. */
export const successors: Readonly<Record<string, string>> = {
  listOrganizations: '/v1/admin/organizations',
  createOrganization: '/v1/admin/organizations',
  getOrganization: '/v1/admin/organizations/{organizationId}',
  listProjects: '/v1/admin/projects',
  createProject: '/v1/admin/projects',
  getProject: '/v1/admin/projects/{projectId}',
  createApp: '/v1/admin/apps',
  updateApp: '/v1/admin/apps/{appId}',
  getApp: '/v1/admin/apps/{appId}',
  listAppsOfProject: '/v1/admin/apps',
  createServiceAccount: '/v1/admin/accounts',
  getServiceAccount: '/v1/admin/accounts',
  listServiceAccountsOfProject: '/v1/admin/accounts',
  listRoles: '/v1/admin/roles',
  listResourceIdentityRoles: grants,
  createResourceIdentityRole: grants,
  deleteResourceIdentityRole: grants,
  listAppRoles: '/v1/admin/app-role-grants/{resourceId}',
  setAppRole: '/v1/admin/app-role-grants/{resourceId}',
  listInvitations: '/v1/admin/invitations',
  inviteUser: '/v1/admin/invitations',
  respondToInvitation: '/v1/admin/invitations/answer',
  listPermissionsEvaluatorResults: '/v1/admin/permission-check',
  listPermissions: '/v1/admin/permission-check',
  identityOnAppHasPermissionOnResource: '/v1/admin/permission-check',
  getPermissionsEvaluatorResult: '/v1/admin/permission-check',
};

/** The same operations, which name their successors. */
export function withSuccessors(routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    const successor = successors[route.operationId];
    return successor === undefined ? route : { ...route, successor };
  });
}

/** Administration by current paths, over the same functions as the older services. */
export function administrationRoutes(admin: Admin): Route[] {
  return [
    ...organizationRoutes(admin),
    ...projectRoutes(admin),
    ...appRoutes(admin),
    ...accountRoutes(admin),
    ...accessRoutes(admin),
    ...invitationRoutes(admin),
  ];
}
