import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Token } from '../lib/balance-changes.ts';
import { call, get, path } from './client.ts';
import { contractsQuery, methodsQuery, walletsQuery } from './queries.ts';
import { constructorQuery } from './templates.ts';
import type { ActionDetails, Schemas } from './types.ts';

/**
 * Events that the action's contract emitted in the action's transaction. They are final, so they are read
 * only once.
 */
export const emittedQuery = (action: Pick<ActionDetails, 'actionId' | 'status' | 'type'>) =>
  queryOptions({
    queryKey: ['actions', 'emitted', action.actionId],
    staleTime: Number.POSITIVE_INFINITY,
    enabled: action.status === 'SUCCEEDED' && action.type !== 'transfer',
    queryFn: ({ signal }) =>
      get<Schemas['EmittedEvents']>(
        path`/v1/ledger-ops/actions/${action.actionId}/contract-events`,
        {},
        signal,
      ),
  });

/** Returns the registered contract that an action calls or deployed; undefined if it is not registered. */
export function useContractOf(action: ActionDetails): Schemas['Contract'] | undefined {
  // A deployed contract is registered once its action has succeeded.
  const isRegistered =
    action.type === 'contract_call' || (action.type === 'contract_deploy' && action.status !== 'PENDING');
  const contracts = useQuery({ ...contractsQuery(), enabled: isRegistered }).data;
  const addresses = [action.contract, action.contractAddress].flatMap((one) => one?.toLowerCase() ?? []);
  return contracts?.find(
    ({ contractId, ledgerReference }) =>
      contractId === action.contract || addresses.includes(ledgerReference.nativeReference.toLowerCase()),
  );
}

/** Returns the names and types of the action's arguments; undefined if the interface is unknown. */
export function useParametersOf(action: ActionDetails, contract: Schemas['Contract'] | undefined) {
  const [, templateId = '', version = ''] =
    action.type === 'contract_deploy' ? (/^(.*):([^:]*)$/.exec(action.contract ?? '') ?? []) : [];
  const methods = useQuery(methodsQuery(action.type === 'contract_call' ? contract : undefined)).data;
  const inputs = useQuery(constructorQuery(templateId, version)).data;
  const called = methods?.find(
    ({ name, signature }) => action.method === signature || action.method === name,
  );
  return action.type === 'contract_deploy' ? inputs : called?.inputs;
}

/** Symbol and decimals of a token contract, as its methods return them; undefined for other contracts. */
export function useTokenOf(contract: Schemas['Contract'] | undefined): Token | undefined {
  return useToken(contract).token;
}

/** Like `useTokenOf`. `isKnown` is false until the console knows whether the contract is a token. */
export function useToken(contract: Schemas['Contract'] | undefined): {
  token: Token | undefined;
  isKnown: boolean;
} {
  const known = useQuery(methodsQuery(contract));
  const methods = known.data ?? [];
  const isToken = ['decimals', 'symbol'].every((name) =>
    methods.some((one) => one.name === name && one.view && one.inputs.length === 0),
  );
  const read = async (name: string) => {
    const at = path`/v1/contract-groups/${contract?.groupId ?? ''}/instances/${contract?.contractId ?? ''}/methods/${name}`;
    return (await call<Schemas['ContractMethodResult']>('POST', at, { body: {} })).result;
  };
  const token = useQuery({
    queryKey: ['contracts', 'token', contract?.contractId],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: contract !== undefined && isToken,
    async queryFn(): Promise<Token> {
      const [symbol, decimals] = await Promise.all([read('symbol'), read('decimals')]);
      return { symbol: String(symbol), decimals: Number(decimals) };
    },
  });
  return { token: token.data, isKnown: !known.isLoading && !token.isLoading };
}

/**
 * Returns a function that names an account: the id of the wallet with this address, or the address itself if
 * there is none.
 */
export function useAccountName(): (address: string) => string | null {
  const wallets = useQuery(walletsQuery()).data?.pageContent;
  return (address) =>
    wallets?.find(({ walletAddress }) => walletAddress?.toLowerCase() === address.toLowerCase())?.walletId ??
    null;
}
