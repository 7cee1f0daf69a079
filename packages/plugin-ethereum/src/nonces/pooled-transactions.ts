import { NodeError } from '@ledger-ops/adapter/outbound';
import type { RpcNode } from '../rpc/node.ts';
import { isHash, isObject } from '../rpc/quantity.ts';

/** Maximum number of transactions of one account that are read from a mempool. */
const most = 1_000;

/**
 * Returns the ids of an account's transactions in a node's mempool, by nonce, including those behind a
 * missing nonce, which no transaction count includes. Empty if the node does not offer `txpool_contentFrom`,
 * as hosted nodes often do not.
 */
export async function pooledTransactions(
  node: RpcNode,
  address: string,
): Promise<ReadonlyMap<bigint, string>> {
  const pooled = new Map<bigint, string>();
  const [answer] = await node
    .batch([{ method: 'txpool_contentFrom', params: [address] }])
    .catch((error: unknown) => {
      if (error instanceof NodeError) return [];
      throw error;
    });
  if (answer?.ok !== true || !isObject(answer.result)) return pooled;
  for (const part of [answer.result.pending, answer.result.queued]) {
    for (const [nonce, one] of isObject(part) ? Object.entries(part).slice(0, most) : [])
      if (/^\d{1,15}$/.test(nonce) && isObject(one) && isHash(one.hash)) pooled.set(BigInt(nonce), one.hash);
  }
  return pooled;
}
