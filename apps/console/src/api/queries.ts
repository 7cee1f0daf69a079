import { QueryClient, queryOptions } from '@tanstack/react-query';
import { chosenProject } from '../session/project.ts';
import { ownServiceId } from '../session/session.ts';
import { ApiProblem, get, path } from './client.ts';
import type { Action, ActionDetails, Schemas } from './types.ts';

/** A refusal stays one however often it is asked; what was not reached is asked again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiProblem && error.problem.status < 500),
    },
  },
});

/** Filters of a list of actions, as the page's address has them. */
export interface ActionFilter {
  readonly status?: Action['status'];
  readonly type?: NonNullable<Action['type']>;
  readonly ledgerId?: string;
  readonly wallet?: string;
  readonly tag?: string;
  readonly reason?: string;
  readonly cursor?: string;
}

export const actionsQuery = (filter: ActionFilter, size = 20) =>
  queryOptions({
    queryKey: ['actions', filter, size],
    queryFn: ({ signal }) =>
      get<Schemas['ActionOverviewPage']>('/v1/ledger-ops/actions', { ...filter, size }, signal),
  });

export const countsQuery = () =>
  queryOptions({
    queryKey: ['actions', 'counts'],
    queryFn: ({ signal }) => get<Schemas['ActionCounts']>('/v1/ledger-ops/actions/counts', {}, signal),
  });

export const actionQuery = (actionId: string) =>
  queryOptions({
    queryKey: ['actions', 'one', actionId],
    queryFn: ({ signal }) => get<ActionDetails>(path`/v1/ledger-ops/actions/${actionId}`, {}, signal),
  });

export const explanationQuery = (actionId: string) =>
  queryOptions({
    queryKey: ['actions', 'explained', actionId],
    queryFn: ({ signal }) =>
      get<Schemas['ActionExplanation']>(path`/v1/ledger-ops/actions/${actionId}/explain`, {}, signal),
  });

export const ledgersQuery = () =>
  queryOptions({
    queryKey: ['ledgers'],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await get<Schemas['LedgerPage']>('/v1/ledgers', { size: 100 }, signal)).pageContent,
  });

export const technologiesQuery = () =>
  queryOptions({
    queryKey: ['technologies'],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await get<Schemas['LedgerTechnologyDescriptions']>('/v1/technologies', {}, signal)).technologies,
  });

export const readinessQuery = () =>
  queryOptions({
    queryKey: ['readiness'],
    refetchInterval: 15_000,
    async queryFn({ signal }): Promise<Schemas['Readiness']> {
      // A service that is not ready says so with 503, and in the same form.
      return await (await fetch('/readyz', { signal })).json();
    },
  });

export const walletsQuery = () =>
  queryOptions({
    queryKey: ['wallets'],
    queryFn: async ({ signal }) =>
      (await get<Schemas['WalletPage']>('/v1/cloud-wallet/wallets', { size: 100 }, signal)).pageContent,
  });

export const walletQuery = (walletId: string) =>
  queryOptions({
    queryKey: ['wallets', walletId],
    refetchInterval: 10_000,
    queryFn: ({ signal }) =>
      get<Schemas['WalletWithBalance']>(path`/v1/cloud-wallet/wallets/${walletId}`, {}, signal),
  });

/** All registered contracts of the project, of all its groups. */
export const contractsQuery = () =>
  queryOptions({
    queryKey: ['contracts'],
    async queryFn({ signal }): Promise<Schemas['Contract'][]> {
      const project = chosenProject() ?? '';
      const groups = await get<Schemas['ContractGroupPage']>(
        '/v1/contract-groups',
        { project, size: 100 },
        signal,
      );
      const pages = await Promise.all(
        groups.pageContent.map(({ groupId }) =>
          get<Schemas['ContractPage']>(path`/v1/contract-groups/${groupId}/instances`, { size: 100 }, signal),
        ),
      );
      return pages.flatMap(({ pageContent }) => pageContent);
    },
  });

export const templatesQuery = () =>
  queryOptions({
    queryKey: ['templates'],
    queryFn: async ({ signal }) =>
      (
        await get<Schemas['ContractTemplatePage']>(
          '/v1/smart-contracts/templates',
          { project: chosenProject() ?? '', size: 100 },
          signal,
        )
      ).pageContent,
  });

export const versionsQuery = (templateId: string) =>
  queryOptions({
    queryKey: ['templates', templateId],
    queryFn: ({ signal }) =>
      get<Schemas['OldContractSpecification'][]>(
        path`/v1/smart-contracts/templates/${templateId}/specifications`,
        {},
        signal,
      ),
  });

/** A project that who is signed in may see. */
export interface Project {
  readonly uid: string;
  readonly projectId: string;
  readonly name: string;
  readonly organizationId: string;
}

/** Who is signed in, and where they may work. */
export interface Person {
  readonly serviceId: string;
  /** The e-mail address; undefined for who holds no role that shows it. */
  readonly identifier: string | undefined;
  readonly projects: readonly Project[];
  readonly organizations: readonly Schemas['AdminOrganization'][];
}

export const personQuery = () =>
  queryOptions({ queryKey: ['person'], staleTime: 60_000, queryFn: ({ signal }) => readPerson(signal) });

async function readPerson(signal: AbortSignal): Promise<Person> {
  const serviceId = ownServiceId();
  const [organizations, grants] = await Promise.all([
    all<Schemas['AdminOrganization']>('/v1/admin/organizations', {}, signal),
    all<Schemas['AdminRoleGrant']>('/v1/admin/role-grants', { serviceId }, signal),
  ]);
  const listed = await Promise.all(
    organizations.map(({ organizationId }) =>
      all<Schemas['AdminProject']>('/v1/admin/projects', { organizationId }, signal),
    ),
  );
  const known = new Map<string, Project>(listed.flat().map((project) => [project.uid, project]));
  // A role on a project alone shows the project, and not the organization in which it would be listed.
  const others = grants.filter(
    ({ resourceType, resourceUid }) => resourceType === 'project' && !known.has(resourceUid),
  );
  for (const { resourceUid } of others) {
    known.set(
      resourceUid,
      await get<Schemas['AdminProject']>(path`/v1/admin/projects/${resourceUid}`, {}, signal),
    );
  }
  return {
    serviceId,
    identifier: grants.find((grant) => grant.serviceId === serviceId)?.identifier,
    projects: [...known.values()].sort((a, b) => a.name.localeCompare(b.name)),
    organizations,
  };
}

/** All pages of a listing with cursors. */
async function all<Item>(
  listing: string,
  query: Record<string, string>,
  signal?: AbortSignal,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await get<{ items: Item[]; next: string | null }>(
      listing,
      { ...query, size: 100, cursor },
      signal,
    );
    items.push(...page.items);
    if (page.next === null) return items;
    cursor = page.next;
  }
}
