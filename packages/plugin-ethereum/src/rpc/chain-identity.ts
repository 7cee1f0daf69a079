import { NodeError } from '@ledger-ops/outbound';
import { blockAt, latestBlock, readBlock, readBlockOrNull } from './block.ts';
import type { RpcNode } from './node.ts';
import { readQuantity } from './quantity.ts';

/** The chain that nodes are on. */
export interface Identity {
  chainId: bigint;
  /** Hash of block 0. */
  genesis: string;
}

/**
 * Reads the chain that a node is on. Block 0 is what block 1 builds on: anvil makes one more at each start from a state file,
 * and shows any of them. Block 0 itself counts where there is no block 1, or it is not kept (EIP-4444).
 * @throws NodeError
 */
export async function readIdentity(node: RpcNode): Promise<Identity> {
  const [id, first, second] = await node.batch([
    { method: 'eth_chainId', params: [] },
    blockAt(0),
    blockAt(1),
  ]);
  if (id?.ok !== true || first?.ok !== true) {
    throw new NodeError('unavailable', `Node ${node.nodeId} does not say which chain it is on.`);
  }
  const next = second?.ok === true ? readBlockOrNull(second.result) : null;
  return {
    chainId: readQuantity(id.result, 'the chain id'),
    genesis: next?.parentHash ?? readBlock(first.result).hash,
  };
}

/** Blocks that one node may be behind another without being in doubt. */
const closeEnough = 64;

/** How far a node is. @throws NodeError */
async function readStanding(node: RpcNode): Promise<{ height: number; isSyncing: boolean }> {
  const [latest, syncing] = await node.batch([latestBlock, { method: 'eth_syncing', params: [] }]);
  if (latest?.ok !== true) {
    throw new NodeError('unavailable', `Node ${node.nodeId} does not say how far it is.`);
  }
  // Not every node answers eth_syncing; what it says is false, or an object.
  const isSyncing = syncing?.ok === true && syncing.result !== false && syncing.result !== null;
  return { height: readBlock(latest.result).height, isSyncing };
}

/**
 * Asks all nodes at once which chain they are on.
 * @param wanted the ledger's chain id, where it is known: a node on another chain says nothing of the ledger's
 * @returns what all say that tell; `unsure`: why the others do not, or which of them do not have the whole chain yet
 * @throws NodeError when none tells, or two tell different chains
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
        const detail = `Node ${nodeId} is on chain ${identity.chainId}, the ledger is chain ${wanted}.`;
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
    const detail = `The nodes ${first.nodeId} and ${other.nodeId} are on different chains (first blocks ${genesis} and ${other.identity.genesis}). Remove the wrong one from the ledger.`;
    throw new NodeError('unavailable', detail);
  }
  const best = found.reduce((one, two) => (two.height > one.height ? two : one));
  const doubts = [
    ...failures.map(({ message }) => message),
    ...found.flatMap(({ nodeId, height, isSyncing }) => {
      if (isSyncing) return [`Node ${nodeId} is still syncing, at block ${height}.`];
      if (best.height - height <= closeEnough) return [];
      return [`Node ${nodeId} is at block ${height}, node ${best.nodeId} at block ${best.height}.`];
    }),
  ];
  return doubts.length === 0 ? first.identity : { ...first.identity, unsure: doubts.join(' ') };
}

function noNode(): NodeError {
  return new NodeError('unavailable', 'The ledger has no node.');
}
