import { NodeError } from '@ledger-ops/adapter/outbound';
import { blockAt, latestBlock, readBlock, readBlockLinks } from './block.ts';
import { quoteAnswer } from './errors.ts';
import type { RpcAnswer, RpcNode } from './node.ts';
import { readQuantity } from './quantity.ts';

/** The chain that nodes are on. */
export interface Identity {
  chainId: bigint;
  /** Hash of block 0. */
  genesis: string;
}

/**
 * Reads the chain identity of a node. The hash of block 0 is the parent hash of block 1: anvil creates
 * another block 0 at each start from a state file, and returns any of them. Block 0 itself is read if block 1
 * is missing or pruned (EIP-4444).
 *
 * @throws NodeError
 */
export async function readIdentity(node: RpcNode): Promise<Identity> {
  const [id, first, second] = await node.batch([
    { method: 'eth_chainId', params: [] },
    blockAt(0),
    blockAt(1),
  ]);
  if (id?.ok !== true) throw silent(node, 'which chain it is on', id);
  const next = second?.ok === true && second.result !== null ? readBlockLinks(second.result) : undefined;
  if (next === undefined && (first?.ok !== true || first.result === null)) {
    throw silent(node, 'what its first block is', first);
  }
  return {
    chainId: readQuantity(id.result, 'the chain id'),
    genesis: next?.parentHash ?? readBlockLinks(first?.ok === true ? first.result : null).hash,
  };
}

/**
 * Returns the error for a node that does not return the data that identifies its chain. Contains the node's
 * message.
 */
function silent({ nodeId }: RpcNode, what: string, answer: RpcAnswer | undefined): NodeError {
  return new NodeError('unavailable', `Node ${nodeId} does not report ${what}.${quoteAnswer(answer)}`);
}

/**
 * Number of blocks that a node may be behind another one. A node further behind is treated as not
 * synchronized.
 */
const closeEnough = 64;

/** The height of a node and whether it is syncing. @throws NodeError */
async function readStanding(node: RpcNode): Promise<{ height: number; isSyncing: boolean }> {
  const [latest, syncing] = await node.batch([latestBlock, { method: 'eth_syncing', params: [] }]);
  if (latest?.ok !== true) throw silent(node, 'its block height', latest);
  // Some nodes lack `eth_syncing`. The result of the others is false or an object.
  const isSyncing = syncing?.ok === true && syncing.result !== false && syncing.result !== null;
  return { height: readBlock(latest.result).height, isSyncing };
}

/**
 * Queries the chain identity of all nodes concurrently.
 *
 * @param wanted the ledger's chain id, if known: nodes on another chain are ignored
 * @returns the common identity; `unsure`: why other nodes did not answer, or that they are still syncing
 * @throws NodeError if no node answers, or two are on different chains
 */
export async function askEveryNode(
  nodes: readonly RpcNode[],
  wanted: bigint | undefined,
): Promise<Identity & { unsure?: string }> {
  const ask = async (node: RpcNode) => {
    const { nodeId } = node;
    try {
      const identity = await readIdentity(node);
      if (wanted !== undefined && identity.chainId !== wanted) {
        const detail = `Node ${nodeId} is on chain ${identity.chainId}, but the ledger is chain ${wanted}.`;
        throw new NodeError('wrong-chain', detail);
      }
      return { nodeId, identity, ...(await readStanding(node)) };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return error;
    }
  };
  const answers = await Promise.all(nodes.map(ask));
  const found = answers.flatMap((one) => (one instanceof NodeError ? [] : [one]));
  const failures = answers.flatMap((one) => (one instanceof NodeError ? [one] : []));
  const [first] = found;
  if (first === undefined) {
    throw failures.find(({ code }) => code !== 'wrong-chain') ?? failures[0] ?? noNode();
  }
  const { chainId, genesis } = first.identity;
  const other = found.find(({ identity }) => identity.genesis !== genesis || identity.chainId !== chainId);
  if (other !== undefined) {
    const detail = `The nodes ${first.nodeId} and ${other.nodeId} are on different chains (their first blocks are ${genesis} and ${other.identity.genesis}). Remove the wrong one from the ledger.`;
    throw new NodeError('unavailable', detail);
  }
  const best = found.reduce((one, two) => (two.height > one.height ? two : one));
  const doubts = [
    ...failures.map(({ message }) => message),
    ...found.flatMap(({ nodeId, height, isSyncing }) => {
      if (isSyncing) return [`Node ${nodeId} is still syncing; it is at block ${height}.`];
      if (best.height - height <= closeEnough) return [];
      return [`Node ${nodeId} is at block ${height}, but node ${best.nodeId} is at block ${best.height}.`];
    }),
  ];
  return doubts.length === 0 ? first.identity : { ...first.identity, unsure: doubts.join(' ') };
}

function noNode(): NodeError {
  return new NodeError('unavailable', 'The ledger has no nodes. Add one.');
}
