import { setTimeout as delay } from 'node:timers/promises';
import type { RpcNode } from './node.ts';

/** Of each transaction whether a node shows it, in its pool or in a block; what it cannot say is left out. */
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

/** As `visibleTransactions`, with a second look, so many milliseconds later, for what is not shown at the first. */
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
