import { shortText } from '@ledger-ops/client/text';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { filled } from '../lib/filled.ts';
import { chosenProject } from '../session/project.ts';
import { ApiProblem, all, allPages, get, path } from './client.ts';
import { readPerson, takePerson } from './person.ts';
import type { Action, ActionDetails, Schemas } from './types.ts';

/**
 * Repeats a first load that was in progress during an invalidation: its response may lack the change, and
 * TanStack Query would not request the data again. The request in progress is not canceled, because data that
 * changes constantly would then never load.
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

/** Client errors are not retried, because the response would be the same. Connection errors are. */
export const queries = new Queries({
  defaultOptions: {
    // Without a network, a mutation fails immediately. It is not queued until the network is back. Mutations
    // contain passwords and keys, so they are dropped when their form is closed.
    mutations: { networkMode: 'always', gcTime: 0 },
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiProblem && error.problem.status < 500),
    },
  },
});

/** Filters of the actions list, as in the page's address. */
export interface ActionFilter {
  readonly status?: Action['status'] | 'CANCELED';
  readonly type?: NonNullable<Action['type']>;
  readonly stage?: keyof Schemas['ActionCounts']['stage'];
  readonly ledgerId?: string;
  readonly wallet?: string;
  readonly tag?: string;
  readonly intent?: string;
  readonly contract?: string;
  /** serviceId of the person or service account that sent the action. */
  readonly caller?: string;
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

/** Maximum number of actions in an exported file. */
const mostExported = 10_000;

/** Returns all actions that match the filter, newest first, up to {@link mostExported}. */
export async function allActions({ cursor: _, ...filter }: ActionFilter): Promise<readonly Action[]> {
  const actions: Action[] = [];
  for (let cursor: string | undefined; actions.length < mostExported; ) {
    const page: Schemas['ActionOverviewPage'] = await get('/v1/ledger-ops/actions', {
      ...{ ...filter, size: 100 },
      ...filled({ cursor }),
    });
    actions.push(...page.actions);
    if (page.next === null) break;
    cursor = page.next;
  }
  return actions;
}

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

/** JSON Schema of the properties that ledgers of remote plugins have. */
export const remotePropertiesQuery = () =>
  queryOptions({ ...describedQuery(), select: ({ remoteLedgerProperties }) => remoteLedgerProperties });

export const readinessQuery = () =>
  queryOptions({
    queryKey: ['readiness'],
    refetchInterval: 15_000,
    async queryFn({ signal }): Promise<Schemas['Readiness']> {
      // A service that is not ready responds with 503 and the same body. A 503 of a proxy has a different
      // body.
      const read: Partial<Schemas['Readiness']> = await (await fetch('/readyz', { signal })).json();
      const { status, readOnly = false, reasons, warnings } = read;
      if (status === undefined || reasons === undefined || warnings === undefined) {
        throw new TypeError('The response did not come from the service.');
      }
      return { status, readOnly, reasons, warnings };
    },
  });

export const ledgerHealthQuery = () =>
  queryOptions({
    queryKey: ['ledger-health'],
    refetchInterval: 15_000,
    queryFn: ({ signal }) => get<Schemas['LedgerHealth']>('/v1/admin/ledger-health', {}, signal),
  });

/** One page of wallets, ordered by id. */
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

/** The contract's interface as the ledger's plugin parses it. Undefined if no contract is chosen. */
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

/** All event names of the contract; null if the interface does not list them. */
export const eventNamesQuery = (contract: ContractKey | undefined) =>
  queryOptions({ ...interfaceQuery(contract), select: ({ events }) => events });

const readGroups = (signal: AbortSignal) =>
  allPages<Schemas['ContractGroup']>('/v1/contract-groups', { project: chosenProject() ?? '' }, signal);

export const groupsQuery = () =>
  queryOptions({ queryKey: ['contracts', 'groups'], queryFn: ({ signal }) => readGroups(signal) });

/**
 * Names a contract. A contract that was registered without a name has its id as its name; it is named after
 * its group instead, because groups of templates have the template's name. If several contracts have the same
 * name, their addresses are added.
 */
function named(contracts: Schemas['Contract'][], groups: readonly Schemas['ContractGroup'][]) {
  const groupNames = new Map(groups.map(({ groupId, name }) => [groupId, name]));
  const all = contracts.map((one) => ({
    ...one,
    name: one.name === one.contractId ? (groupNames.get(one.groupId) ?? one.name) : one.name,
  }));
  const counts = Map.groupBy(all, ({ name }) => name);
  return all.map((one) => {
    const isAmbiguous = (counts.get(one.name)?.length ?? 0) > 1;
    const { nativeReference } = one.ledgerReference;
    return isAmbiguous ? { ...one, name: `${one.name} (${shortText(nativeReference, 4)})` } : one;
  });
}

/** All registered contracts of the project, in all groups. */
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
      return named(contracts.flat(), groups);
    },
  });

export const personQuery = () =>
  queryOptions({
    queryKey: ['person'],
    staleTime: 60_000,
    queryFn: ({ signal }) => takePerson() ?? readPerson(signal),
  });
