import type { Cursor } from '@ledger-ops/adapter';
import { blockAt, readBlockOrNull } from '../rpc/block.ts';
import type { RpcAnswer, RpcCall, RpcNode } from '../rpc/node.ts';
import { readNumber, toHex } from '../rpc/quantity.ts';

/**
 * Transaction counts of accounts at one block. The block is identified by its hash (EIP-1898). If the node
 * does not support this, it is identified by its number, and the block with that number is read in the same
 * request. Omits accounts whose state at this block the node has pruned. A query at a later block may work.
 */
export async function noncesAt(
  node: RpcNode,
  addresses: readonly string[],
  { height, hash }: Cursor,
): Promise<Map<string, number>> {
  const counts = read(addresses, await node.batch(countCalls(addresses, { blockHash: hash })));
  const unknown = addresses.filter((address) => !counts.has(address));
  if (unknown.length === 0) return counts;
  const { seen, answers } = await node.witnessed(blockAt(height), countCalls(unknown, toHex(height)));
  const isThere = seen.every((answer) => answer.ok && readBlockOrNull(answer.result)?.hash === hash);
  return isThere ? new Map([...counts, ...read(unknown, answers)]) : counts;
}

function countCalls(addresses: readonly string[], block: unknown): RpcCall[] {
  return addresses.map((address) => ({ method: 'eth_getTransactionCount', params: [address, block] }));
}

function read(addresses: readonly string[], answers: readonly RpcAnswer[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [index, address] of addresses.entries()) {
    const answer = answers[index];
    if (answer?.ok === true) counts.set(address, readNumber(answer.result, 'a transaction count'));
  }
  return counts;
}
