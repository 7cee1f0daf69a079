import { queryOptions, useQuery } from '@tanstack/react-query';
import { useChosenProject } from '../session/use-project.ts';
import { ApiProblem, all, get, path } from './client.ts';
import type { Project } from './person.ts';
import { personQuery, queries } from './queries.ts';
import type { Schemas } from './types.ts';

export type Account = Schemas['AdminAccount'];
export type App = Schemas['AdminApp'];
export type Invitation = Schemas['AdminInvitation'];
export type StorageLimit = Schemas['AdminStorageLimit'];
export type RoleGrant = Schemas['AdminRoleGrant'];
export type AppRoleGrant = Schemas['AdminAppRoleGrant'];

/** A role on a resource, without its holder. */
export type Granted = Pick<RoleGrant, 'role' | 'resourceUid' | 'resourceType' | 'resourceId'>;

/** Response to revoking a role of an identity or an application. Only identities are invited. */
export interface RemainingGrants {
  readonly remaining: number;
  readonly remainingGrants: readonly Granted[];
  readonly openInvitations?: number;
  readonly inheritedGrants: readonly Granted[];
}

/** Reads the lists of the access pages again. */
export const refreshAccess = () => queries.invalidateQueries({ queryKey: ['access'] });

/** Returns the chosen project; undefined until one is chosen. */
export function useProject(): Project | undefined {
  const chosen = useChosenProject();
  return useQuery(personQuery()).data?.projects.find(({ uid }) => uid === chosen);
}

/** Roles that are assigned on the resource itself. Empty if the caller may not see the resource. */
export const grantsQuery = (resourceId: string) =>
  queryOptions({
    queryKey: ['access', 'grants', resourceId],
    queryFn: ({ signal }) => ifVisible(all<RoleGrant>('/v1/admin/role-grants', { resourceId }, { signal })),
  });

/** Roles of applications on the resource itself. Empty if the caller may not see the resource. */
export const appGrantsQuery = (resourceId: string) =>
  queryOptions({
    queryKey: ['access', 'app-grants', resourceId],
    queryFn: ({ signal }) =>
      ifVisible(
        get<Schemas['AdminAppRoleGrants']>(path`/v1/admin/app-role-grants/${resourceId}`, {}, signal).then(
          ({ items }) => items,
        ),
      ),
  });

/** Returns an empty list if the service does not find the resource. */
async function ifVisible<Grant>(found: Promise<Grant[]>): Promise<Grant[]> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.status === 404) return [];
    throw error;
  }
}

export const grantsOfQuery = (serviceId: string) =>
  queryOptions({
    queryKey: ['access', 'grants-of', serviceId],
    queryFn: ({ signal }) => all<RoleGrant>('/v1/admin/role-grants', { serviceId }, { signal }),
  });

/** Roles that can be granted to people and service accounts. */
const rolesQuery = () =>
  queryOptions({
    queryKey: ['access', 'roles'],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await get<Schemas['AdminRoles']>('/v1/admin/roles', {}, signal)).items.filter(
        ({ heldBy }) => heldBy === 'IDENTITY',
      ),
  });

/** Permissions of an identity on a record. */
export const permissionsQuery = (serviceId: string, resourceId: string) =>
  queryOptions({
    queryKey: ['access', 'permissions', serviceId, resourceId],
    queryFn: ({ signal }) =>
      get<Schemas['AdminIdentityPermissions']>(
        '/v1/admin/identity-permissions',
        { serviceId, resourceId },
        signal,
      ),
  });

const checkQuery = (resourceId: string, permission: string) =>
  queryOptions({
    queryKey: ['access', 'check', resourceId, permission],
    staleTime: 60_000,
    async queryFn({ signal }): Promise<boolean> {
      const query = { resourceId, permissions: permission };
      try {
        return (await get<Schemas['AdminPermissionCheck']>('/v1/admin/permission-check', query, signal))
          .allowed;
      } catch (error) {
        if (error instanceof ApiProblem && [403, 404].includes(error.problem.status)) return false;
        throw error;
      }
    },
  });

/**
 * Whether the user has a permission on a resource (default: the chosen project). False until the service has
 * responded. True if it does not respond: the service checks every request itself.
 */
export function useHolds(permission: string, resourceId?: string): boolean {
  const chosen = useChosenProject() ?? '';
  const on = resourceId ?? chosen;
  const { data = false, isError } = useQuery({ ...checkQuery(on, permission), enabled: on !== '' });
  return data || isError;
}

/**
 * Roles that the user may grant on a resource: those whose permissions the user has on it. All roles until
 * the service has responded: the service checks every request itself.
 */
export function useGrantableRoles(resourceId: string): Schemas['AdminRole'][] | undefined {
  const roles = useQuery(rolesQuery()).data;
  const serviceId = useQuery(personQuery()).data?.serviceId ?? '';
  const held = useQuery({ ...permissionsQuery(serviceId, resourceId), enabled: serviceId !== '' });
  if (held.isPending) return undefined;
  if (held.data === undefined) return roles;
  const permissions = new Set<string>(held.data.permissions);
  return roles?.filter((role) => role.permissions.every((one) => permissions.has(one)));
}

/** Archived or active applications. */
export const appsQuery = (projectId: string, archived: boolean) =>
  queryOptions({
    queryKey: ['access', 'apps', projectId, archived],
    queryFn: ({ signal }) =>
      all<App>('/v1/admin/apps', { projectId, archived: String(archived) }, { signal }),
  });

export const accountsQuery = (projectId: string, archived: boolean) =>
  queryOptions({
    queryKey: ['access', 'accounts', projectId, archived],
    queryFn: ({ signal }) =>
      all<Account>('/v1/admin/accounts', { projectId, archived: String(archived) }, { signal }),
  });

export const accountQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['access', 'account', accountId],
    queryFn: ({ signal }) => get<Account>(path`/v1/admin/accounts/${accountId}`, {}, signal),
  });

export const invitationsQuery = (state: string) =>
  queryOptions({
    queryKey: ['access', 'invitations', state],
    queryFn: ({ signal }) => all<Invitation>('/v1/admin/invitations', { state }, { signal }),
  });

export type Organization = Schemas['AdminOrganization'];

export const organizationsQuery = (archived = false) =>
  queryOptions({
    queryKey: ['access', 'organizations', archived],
    queryFn: ({ signal }) =>
      all<Organization>('/v1/admin/organizations', { all: 'true', archived: String(archived) }, { signal }),
  });

/** Archived projects of all organizations. The person query already lists the active ones. */
export const archivedProjectsQuery = () =>
  queryOptions({
    queryKey: ['access', 'projects', 'archived'],
    queryFn: ({ signal }) =>
      all<Project>('/v1/admin/projects', { archived: 'true' }, { signal, isGlobal: true }),
  });

/** A credential of a service account, without the secret. */
export interface Credential {
  readonly kind: 'token' | 'key';
  /** Id of the token or key in the API's paths. */
  readonly id: string;
  readonly status: 'ENABLED' | 'DISABLED';
  readonly createdAt: string;
}

export const credentialsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['access', 'credentials', accountId],
    async queryFn({ signal }): Promise<Credential[]> {
      const [tokens, keys] = await Promise.all([
        all<Schemas['AdminToken']>(path`/v1/admin/accounts/${accountId}/tokens`, {}, { signal }),
        all<Schemas['AdminKey']>(path`/v1/admin/accounts/${accountId}/keys`, {}, { signal }),
      ]);
      return [
        ...tokens.map(({ tokenId, ...more }) => ({ ...more, kind: 'token' as const, id: tokenId })),
        ...keys.map(({ keyId, ...more }) => ({ ...more, kind: 'key' as const, id: String(keyId) })),
      ];
    },
  });

export const storageQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['access', 'storage', organizationId],
    queryFn: async ({ signal }) =>
      (
        await get<Schemas['AdminStorageLimits']>(
          path`/v1/admin/organizations/${organizationId}/storage-limits`,
          {},
          signal,
        )
      ).items,
  });
