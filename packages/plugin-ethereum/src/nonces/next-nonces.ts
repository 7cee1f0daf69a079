import { NodeError } from '@ledger-ops/adapter/outbound';
import { quoteAnswer } from '../rpc/errors.ts';
import type { RpcNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { readQuantity } from '../rpc/quantity.ts';
import { useOf } from './outside-transactions.ts';
import { pooledTransactions } from './pooled-transactions.ts';

const phase = 'check';

/**
 * Transaction counts of accounts from the first working node. If a node counts more than the host expects,
 * its blocks must contain the last of these transactions, because new transactions would wait forever behind
 * missing ones. If the blocks do not contain it, the next node is queried. If no node proves a higher count,
 * the host's number applies.
 */
export async function nextNonces(
  nodes: Nodes,
  addresses: readonly string[],
  expected: readonly (bigint | null)[],
): Promise<bigint[]> {
  const [nodeId, counts] = await nodes.onNode(phase, async (node) => {
    return [node.nodeId, await verifiedCounts(node, addresses, expected, nodes)] as const;
  });
  const isUnverified = (index: number) => counts[index] === undefined;
  if (!addresses.some((_, index) => isUnverified(index))) return counts.map((count) => count ?? 0n);
  const { answers } = await nodes.onEach(phase, (node) => verifiedCounts(node, addresses, expected, nodes), {
    except: nodeId,
  });
  return counts.map((count, index) => {
    let most = count ?? expected[index] ?? 0n;
    if (count !== undefined) return most;
    for (const all of answers.values()) {
      const other = all[index];
      if (other !== undefined && other > most) most = other;
    }
    return most;
  });
}

/**
 * Returns the highest transaction count of each account among all nodes. Queries all nodes concurrently, including
 * recently failed ones.
 *
 * @throws NodeError `unavailable` if a node does not respond
 */
export async function highestNonces(nodes: Nodes, addresses: readonly string[]): Promise<bigint[]> {
  const { answers, failure } = await nodes.onEach(phase, (node) => readCounts(node, addresses), {
    isEvery: true,
  });
  if (failure !== undefined) throw new NodeError('unavailable', failure.message);
  return highestOf(addresses, answers);
}

/**
 * Returns the highest transaction count of each account that a node reports, including transactions in its mempool, and
 * transactions that wait there behind a missing nonce.
 * @throws NodeError if no node responds
 */
export async function pendingNonces(nodes: Nodes, addresses: readonly string[]): Promise<bigint[]> {
  const { answers, failure } = await nodes.onEach(phase, async (node) => {
    const counts = await readCounts(node, addresses, 'pending');
    const pools = await Promise.all(addresses.map((address) => pooledTransactions(node, address)));
    return counts.map((count, index) =>
      [...(pools[index]?.keys() ?? [])].reduce((most, nonce) => (nonce >= most ? nonce + 1n : most), count),
    );
  });
  if (answers.size === 0 && failure !== undefined) throw failure;
  return highestOf(addresses, answers);
}

function highestOf(addresses: readonly string[], answers: ReadonlyMap<string, readonly bigint[]>): bigint[] {
  return addresses.map((_, index) =>
    [...answers.values()].reduce((most, counts) => {
      const count = counts[index] ?? 0n;
      return count > most ? count : most;
    }, 0n),
  );
}

/** Returns a node's counts; undefined if it counts more than expected but its blocks do not prove this. */
async function verifiedCounts(
  node: RpcNode,
  addresses: readonly string[],
  expected: readonly (bigint | null)[],
  nodes: Nodes,
): Promise<(bigint | undefined)[]> {
  const chainId = nodes.lastIdentity()?.chainId;
  const counts = await readCounts(node, addresses);
  return Promise.all(
    counts.map(async (count, index) => {
      const [address = '', known = null] = [addresses[index], expected[index]];
      if (known === null || count <= known || (await isShown(node, address, count, chainId))) return count;
      return undefined;
    }),
  );
}

/** Returns a node's counts, unverified. */
async function readCounts(
  node: RpcNode,
  addresses: readonly string[],
  block: 'latest' | 'pending' = 'latest',
): Promise<bigint[]> {
  const answers = await node.batch(
    addresses.map((address) => ({ method: 'eth_getTransactionCount', params: [address, block] })),
  );
  return addresses.map((_, index) => {
    const answer = answers[index];
    if (answer?.ok !== true) {
      const detail = `Node ${node.nodeId} refused eth_getTransactionCount.${quoteAnswer(answer)}`;
      throw new NodeError('unavailable', detail);
    }
    return readQuantity(answer.result, 'the response to eth_getTransactionCount');
  });
}

/**
 * Whether a node's blocks contain the last transaction that the node counts. Also true if the node cannot
 * search for it, because it pruned the state.
 */
async function isShown(
  node: RpcNode,
  address: string,
  count: bigint,
  chainId: bigint | undefined,
): Promise<boolean> {
  const use = await useOf(node, address, count - 1n, chainId);
  return use.kind !== 'unclear' || use.isPruned;
}
