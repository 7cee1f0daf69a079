import { NodeError } from '@ledger-ops/adapter/outbound';
import { answers } from './rpc/answers.ts';
import type { Nodes } from './rpc/nodes.ts';
import { requireAddress } from './transactions/address.ts';

/** Maximum number of accounts of one call. */
const mostAccounts = 100;

/** Balances of addresses in lamports, as of a confirmed block. */
export function readBalances(addresses: readonly string[], { nodes }: { nodes: Nodes }): Promise<bigint[]> {
  const accounts = addresses.map((address, index) => requireAddress(address, 'check', `/addresses/${index}`));
  return nodes.onNode('check', async (node) => {
    const balances: bigint[] = [];
    for (let start = 0; start < accounts.length; start += mostAccounts) {
      const some = accounts.slice(start, start + mostAccounts);
      const config = {
        commitment: 'confirmed',
        encoding: 'base64',
        dataSlice: { offset: 0, length: 0 },
      };
      const { value } = await node.ask('getMultipleAccounts', [some, config], answers.accounts);
      if (value.length !== some.length) {
        throw new NodeError(
          'unavailable',
          `Node ${node.nodeId} did not return a requested account. Check the node or remove it.`,
        );
      }
      balances.push(...value.map((account) => account?.lamports ?? 0n));
    }
    return balances;
  });
}
