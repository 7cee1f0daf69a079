import { queryOptions, useQuery } from '@tanstack/react-query';
import { useChosenProject } from '../session/use-project.ts';
import { ApiProblem, all, get, path } from './client.ts';
import type { Project } from './person.ts';
import { personQuery } from './queries.ts';
import type { Schemas } from './types.ts';

export type Account = Schemas['AdminAccount'];
export type App = Schemas['AdminApp'];
export type Invitation = Schemas['AdminInvitation'];
export type RoleGrant = Schemas['AdminRoleGrant'];

/** The project that the pages are about; undefined while it is being chosen. */
export function useProject(): Project | undefined {
  const chosen = useChosenProject();
  return useQuery(personQuery()).data?.projects.find(({ uid }) => uid === chosen);
}

/** The roles that identities hold on a resource itself; of one that the caller does not see, none. */
export const grantsQuery = (resourceId: string) =>
  queryOptions({
    queryKey: ['access', 'grants', resourceId],
    async queryFn({ signal }): Promise<RoleGrant[]> {
      try {
        return await all<RoleGrant>('/v1/admin/role-grants', { resourceId }, { signal });
      } catch (error) {
        if (error instanceof ApiProblem && error.problem.status === 404) return [];
        throw error;
      }
    },
  });

export const grantsOfQuery = (serviceId: string) =>
  queryOptions({
    queryKey: ['access', 'grants-of', serviceId],
    queryFn: ({ signal }) => all<RoleGrant>('/v1/admin/role-grants', { serviceId }, { signal }),
  });

/** The roles that people and accounts may be given. */
export const rolesQuery = () =>
  queryOptions({
    queryKey: ['access', 'roles'],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await get<Schemas['AdminRoles']>('/v1/admin/roles', {}, signal)).items.filter(
        ({ heldBy }) => heldBy === 'IDENTITY',
      ),
  });

/** Those that are archived, or the others. */
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

/** Of all organizations; those that are not archived are known with the person. */
export const archivedProjectsQuery = () =>
  queryOptions({
    queryKey: ['access', 'projects', 'archived'],
    queryFn: ({ signal }) =>
      all<Project>('/v1/admin/projects', { archived: 'true' }, { signal, isGlobal: true }),
  });

/** A credential of an account, as a list shows it: never the secret. */
export interface Credential {
  readonly kind: 'token' | 'key';
  /** Part of the path at which it is changed. */
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
