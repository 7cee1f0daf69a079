import { NodeError } from '@ledger-ops/adapter/outbound';
import { quoteAnswer } from './rpc/errors.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readQuantity } from './rpc/quantity.ts';
import { requireAddress } from './transactions/address.ts';

const phase = 'check';

/** Reads balances of addresses, in wei, in one batch. */
export function readBalances(addresses: readonly string[], { nodes }: { nodes: Nodes }): Promise<bigint[]> {
  const accounts = addresses.map((address) => requireAddress(address, phase, '/address'));
  return nodes.onNode(phase, async (node) => {
    const answers = await node.batch(
      accounts.map((address) => ({ method: 'eth_getBalance', params: [address, 'latest'] })),
    );
    return answers.map((answer) => {
      if (!answer.ok)
        throw new NodeError(
          'unavailable',
          `Node ${node.nodeId} refused eth_getBalance.${quoteAnswer(answer)}`,
        );
      return readQuantity(answer.result, 'the response to eth_getBalance');
    });
  });
}
