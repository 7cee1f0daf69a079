import { QueryClient, queryOptions } from '@tanstack/react-query';
import { chosenProject } from '../session/project.ts';
import { ApiProblem, all, allPages, get, path } from './client.ts';
import { readPerson, takePerson } from './person.ts';
import type { Action, ActionDetails, Schemas } from './types.ts';

/**
 * Asks once more for a first load that was under way as something changed: its answer may be of before the change, and
 * TanStack Query only waits for it. It is not broken off, since what changes all the time would never be loaded.
 */
class Queries extends QueryClient {
  override async invalidateQueries(...given: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    const firsts = this.getQueryCache()
      .findAll(given[0])
      .filter(({ state }) => state.data === undefined && state.fetchStatus === 'fetching');
    await super.invalidateQueries(...given);
    if (firsts.length === 0) return;
    await super.invalidateQueries({ predicate: (query) => firsts.includes(query) });
  }
}

/** A refusal stays one however often it is asked; what was not reached is asked again. */
export const queries = new Queries({
  defaultOptions: {
    // A request that cannot be sent now fails now: it is not kept, to happen once there is a network again. What was sent has
    // passwords and keys in it, and is kept no longer than it is shown.
    mutations: { networkMode: 'always', gcTime: 0 },
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
  readonly stage?: keyof Schemas['ActionCounts']['stage'];
  readonly ledgerId?: string;
  readonly wallet?: string;
  readonly tag?: string;
  readonly intent?: string;
  readonly contract?: string;
  /** Service id of who sent it. */
  readonly caller?: string;
  /** RFC 3339. */
  readonly from?: string;
  readonly to?: string;
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
    queryFn: ({ signal }) => all<Schemas['AdminLedger']>('/v1/admin/ledgers', {}, { signal }),
  });

const describedQuery = () =>
  queryOptions({
    queryKey: ['technologies'],
    staleTime: 60_000,
    queryFn: ({ signal }) => get<Schemas['LedgerTechnologyDescriptions']>('/v1/technologies', {}, signal),
  });

export const technologiesQuery = () =>
  queryOptions({ ...describedQuery(), select: ({ technologies }) => technologies });

/** JSON Schema of the properties that ledgers of every technology have. */
export const commonPropertiesQuery = () =>
  queryOptions({ ...describedQuery(), select: ({ ledgerProperties }) => ledgerProperties });

export const readinessQuery = () =>
  queryOptions({
    queryKey: ['readiness'],
    refetchInterval: 15_000,
    async queryFn({ signal }): Promise<Schemas['Readiness']> {
      // A service that is not ready says so with 503, and in the same form; what stands before it, in none.
      const read: Partial<Schemas['Readiness']> = await (await fetch('/readyz', { signal })).json();
      const { status, reasons, warnings } = read;
      if (status === undefined || reasons === undefined || warnings === undefined) {
        throw new TypeError('The answer is none of the service.');
      }
      return { status, reasons, warnings };
    },
  });

export const ledgerHealthQuery = () =>
  queryOptions({
    queryKey: ['ledger-health'],
    refetchInterval: 15_000,
    queryFn: ({ signal }) => get<Schemas['LedgerHealth']>('/v1/admin/ledger-health', {}, signal),
  });

/** A page of the wallets, by their ids. */
export const walletsQuery = (page = 0, size = 100) =>
  queryOptions({
    queryKey: ['wallets', 'page', page, size],
    queryFn: ({ signal }) =>
      get<Schemas['WalletPage']>('/v1/cloud-wallet/wallets', { page, size, sort: 'walletId' }, signal),
  });

export const walletQuery = (walletId: string) =>
  queryOptions({
    queryKey: ['wallets', 'one', walletId],
    refetchInterval: 10_000,
    queryFn: ({ signal }) =>
      get<Schemas['WalletWithBalance']>(path`/v1/cloud-wallet/wallets/${walletId}`, {}, signal),
  });

type ContractKey = Pick<Schemas['Contract'], 'groupId' | 'contractId'>;

/** As the plugin of its ledger reads its interface; undefined: none is chosen. */
const interfaceQuery = (contract: ContractKey | undefined) =>
  queryOptions({
    queryKey: ['contracts', 'methods', contract?.groupId, contract?.contractId],
    staleTime: 60_000,
    enabled: contract !== undefined,
    queryFn: ({ signal }) =>
      get<Schemas['ContractMethods']>(
        path`/v1/contract-groups/${contract?.groupId ?? ''}/instances/${contract?.contractId ?? ''}/methods`,
        {},
        signal,
      ),
  });

export const methodsQuery = (contract: ContractKey | undefined) =>
  queryOptions({ ...interfaceQuery(contract), select: ({ methods }) => methods });

/** All names of its events; null: its interface does not tell them. */
export const eventNamesQuery = (contract: ContractKey | undefined) =>
  queryOptions({ ...interfaceQuery(contract), select: ({ events }) => events });

const readGroups = (signal: AbortSignal) =>
  allPages<Schemas['ContractGroup']>('/v1/contract-groups', { project: chosenProject() ?? '' }, signal);

export const groupsQuery = () =>
  queryOptions({ queryKey: ['contracts', 'groups'], queryFn: ({ signal }) => readGroups(signal) });

/** All registered contracts of the project, of all its groups. */
export const contractsQuery = () =>
  queryOptions({
    queryKey: ['contracts'],
    async queryFn({ signal }): Promise<Schemas['Contract'][]> {
      const groups = await readGroups(signal);
      const contracts = await Promise.all(
        groups.map(({ groupId }) =>
          allPages<Schemas['Contract']>(path`/v1/contract-groups/${groupId}/instances`, {}, signal),
        ),
      );
      return contracts.flat();
    },
  });

export const personQuery = () =>
  queryOptions({
    queryKey: ['person'],
    staleTime: 60_000,
    queryFn: ({ signal }) => takePerson() ?? readPerson(signal),
  });
