import { NodeError } from '@ledger-ops/outbound';
import { require } from '../blocks/chain-reading.ts';
import { latestBlock, readBlock } from '../rpc/block.ts';
import type { RpcNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { readQuantity } from '../rpc/quantity.ts';
import { findNonceUse } from './nonce-use.ts';

const phase = 'check';

/**
 * How many transactions accounts have sent, as the first node that works counts them. One that counts more than the host
 * expects must show the last of them in a block, for what is signed behind transactions that are not there waits for them;
 * else another node is asked, and the host's own number holds where none shows more.
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
 * How many transactions accounts have sent, as the node counts them that counts most of each: all nodes are asked at once,
 * those that failed just now too.
 * @throws NodeError `unavailable` when one does not say
 */
export async function highestNonces(nodes: Nodes, addresses: readonly string[]): Promise<bigint[]> {
  const { answers, failure } = await nodes.onEach(phase, (node) => readCounts(node, addresses), {
    isEvery: true,
  });
  if (failure !== undefined) throw new NodeError('unavailable', failure.message);
  return addresses.map((_, index) =>
    [...answers.values()].reduce((most, counts) => {
      const count = counts[index] ?? 0n;
      return count > most ? count : most;
    }, 0n),
  );
}

/** A node's counts; undefined where it counts more than is expected, and its blocks say otherwise. */
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

/** A node's counts, as it says them. */
async function readCounts(node: RpcNode, addresses: readonly string[]): Promise<bigint[]> {
  const answers = await node.batch(
    addresses.map((address) => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] })),
  );
  return addresses.map((_, index) => {
    const answer = answers[index];
    if (answer?.ok !== true) {
      throw new NodeError('unavailable', `Node ${node.nodeId} refused eth_getTransactionCount.`);
    }
    return readQuantity(answer.result, 'the answer to eth_getTransactionCount');
  });
}

/** Whether the last transaction that a node counts stands in its blocks, or it cannot be looked for there. */
async function isShown(
  node: RpcNode,
  address: string,
  count: bigint,
  chainId: bigint | undefined,
): Promise<boolean> {
  const [latest] = await node.batch([latestBlock]);
  const { height, hash } = readBlock(require(latest));
  const slot = { address, sequence: count - 1n, txIds: [] };
  const use = await findNonceUse(node, slot, { height, hash }, { chainId, hint: undefined });
  return use.kind !== 'unclear' || use.isPruned;
}
