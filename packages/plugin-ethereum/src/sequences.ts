import { latestBlock, readBlock } from './block.ts';
import { require } from './chain-reading.ts';
import { NodeFailure } from './node-failure.ts';
import { readQuantity } from './quantity.ts';
import type { Rpc } from './rpc.ts';
import type { RpcNode } from './rpc-node.ts';
import { findTaker } from './taker.ts';

const phase = 'check';

/**
 * How many transactions accounts have sent, as the first node that works counts them. One that counts more than the host
 * expects must show the last of them in a block, for what is signed behind transactions that are not there waits for them;
 * else another node is asked, and the host's own number holds where none shows more.
 */
export async function nextSequences(
  rpc: Rpc,
  addresses: readonly string[],
  expected: readonly (bigint | null)[],
): Promise<bigint[]> {
  const [nodeId, counts] = await rpc.onNode(phase, async (node) => {
    return [node.nodeId, await believable(node, addresses, expected, rpc)] as const;
  });
  const isDoubted = (index: number) => counts[index] === undefined;
  if (!addresses.some((_, index) => isDoubted(index))) return counts.map((count) => count ?? 0n);
  const { answers } = await rpc.onEach(phase, (node) => believable(node, addresses, expected, rpc), {
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

/** A node's counts; undefined where it counts more than is expected, and its blocks say otherwise. */
async function believable(
  node: RpcNode,
  addresses: readonly string[],
  expected: readonly (bigint | null)[],
  rpc: Rpc,
): Promise<(bigint | undefined)[]> {
  const chainId = rpc.lastIdentity()?.chainId;
  const answers = await node.batch(
    addresses.map((address) => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] })),
  );
  return Promise.all(
    addresses.map(async (address, index) => {
      const answer = answers[index];
      if (answer?.ok !== true) {
        throw new NodeFailure('unavailable', `Node ${node.nodeId} refused eth_getTransactionCount.`);
      }
      const count = readQuantity(answer.result, 'the answer to eth_getTransactionCount');
      const known = expected[index] ?? null;
      if (known === null || count <= known || (await isShown(node, address, count, chainId))) return count;
      return undefined;
    }),
  );
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
  const taker = await findTaker(node, slot, { height, hash }, { chainId, hint: undefined });
  return taker.kind !== 'unclear' || taker.isPruned;
}
