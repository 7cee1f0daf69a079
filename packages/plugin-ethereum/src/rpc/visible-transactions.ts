import { setTimeout as delay } from 'node:timers/promises';
import type { RpcNode } from './node.ts';

/**
 * Returns, by id, whether a node returns the transaction from its mempool or a block. Omits transactions for which the
 * node does not answer.
 */
export async function visibleTransactions(
  node: RpcNode,
  txIds: readonly string[],
): Promise<Map<string, boolean>> {
  const answers = await node.batch(
    txIds.map((txId) => ({ method: 'eth_getTransactionByHash', params: [txId] })),
  );
  return new Map(
    txIds.flatMap((txId, index) => {
      const answer = answers[index];
      return answer?.ok === true ? [[txId, answer.result !== null] as const] : [];
    }),
  );
}

/** Returns the ids of the transactions that are in a block, according to the node. */
export async function minedTransactions(node: RpcNode, txIds: readonly string[]): Promise<Set<string>> {
  const answers = await node.batch(
    txIds.map((txId) => ({ method: 'eth_getTransactionByHash', params: [txId] })),
  );
  return new Set(
    txIds.filter((_, index) => {
      const answer = answers[index];
      if (answer?.ok !== true || typeof answer.result !== 'object' || answer.result === null) return false;
      return 'blockNumber' in answer.result && answer.result.blockNumber !== null;
    }),
  );
}

/**
 * Like `visibleTransactions`. Queries the node again, after `secondLook` milliseconds, for transactions that it did not
 * return.
 */
export async function visibleAfterRetry(
  node: RpcNode,
  txIds: readonly string[],
  secondLook: number,
): Promise<Map<string, boolean>> {
  const visible = await visibleTransactions(node, txIds);
  const absent = txIds.filter((txId) => visible.get(txId) === false);
  if (absent.length === 0) return visible;
  await delay(secondLook);
  return new Map([...visible, ...(await visibleTransactions(node, absent))]);
}
