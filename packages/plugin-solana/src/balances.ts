import { NodeError } from '@ledger-ops/outbound';
import { answers, ask } from './rpc/answers.ts';
import type { Nodes } from './rpc/nodes.ts';
import { requireAddress } from './transactions/address.ts';

/** Accounts that one call takes. */
const mostAccounts = 100;

/** Balances of addresses in lamports, as confirmed blocks have them. */
export function readBalances(addresses: readonly string[], { nodes }: { nodes: Nodes }): Promise<bigint[]> {
  const accounts = addresses.map((address, index) => requireAddress(address, 'check', `/addresses/${index}`));
  return nodes.onNode('check', async ({ nodeId, rpc }) => {
    const balances: bigint[] = [];
    for (let start = 0; start < accounts.length; start += mostAccounts) {
      const some = accounts.slice(start, start + mostAccounts);
      const call = rpc.getMultipleAccounts(some, {
        commitment: 'confirmed',
        encoding: 'base64',
        dataSlice: { offset: 0, length: 0 },
      });
      const { value } = await ask(nodeId, call, answers.accounts);
      if (value.length !== some.length) {
        throw new NodeError('unavailable', `Node ${nodeId} left out an account.`);
      }
      balances.push(...value.map((account) => account?.lamports ?? 0n));
    }
    return balances;
  });
}
