import { blockAt, readBlock, readBlockOrNull } from './block.ts';
import { NodeFailure } from './node-failure.ts';
import { readQuantity } from './quantity.ts';
import type { RpcNode } from './rpc-node.ts';

/** Which chain the nodes are on. */
export interface Identity {
  chainId: bigint;
  /** Hash of block 0. */
  genesis: string;
}

/**
 * Which chain a node is on. Block 0 is what block 1 builds on: anvil makes one more at each start from a state file,
 * and shows any of them. Block 0 itself counts where there is no block 1, or it is not kept (EIP-4444).
 * @throws NodeFailure
 */
export async function readIdentity(node: RpcNode): Promise<Identity> {
  const [id, first, second] = await node.batch([
    { method: 'eth_chainId', params: [] },
    blockAt(0),
    blockAt(1),
  ]);
  if (id?.ok !== true || first?.ok !== true) {
    throw new NodeFailure('unavailable', `Node ${node.nodeId} does not say which chain it is on.`);
  }
  const next = second?.ok === true ? readBlockOrNull(second.result) : null;
  return {
    chainId: readQuantity(id.result, 'the chain id'),
    genesis: next?.parentHash ?? readBlock(first.result).hash,
  };
}

/**
 * Asks all nodes at once which chain they are on.
 * @param wanted the ledger's chain id, where it is known: a node on another chain says nothing of the ledger's
 * @returns what all say that tell; `unsure`: why the others do not
 * @throws NodeFailure when none tells, or two tell different chains
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
        throw new NodeFailure('wrong-chain', detail);
      }
      return { nodeId, identity };
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error;
      return error;
    }
  };
  const answers = await Promise.all(nodes.map(ask));
  const found = answers.flatMap((one) => (one instanceof NodeFailure ? [] : [one]));
  const failures = answers.flatMap((one) => (one instanceof NodeFailure ? [one] : []));
  const [first] = found;
  if (first === undefined) {
    throw failures.find(({ code }) => code !== 'wrong-chain') ?? failures[0] ?? noNode();
  }
  const { chainId, genesis } = first.identity;
  const other = found.find(({ identity }) => identity.genesis !== genesis || identity.chainId !== chainId);
  if (other !== undefined) {
    const detail = `The nodes ${first.nodeId} and ${other.nodeId} are on different chains (first blocks ${genesis} and ${other.identity.genesis}). Remove the wrong one from the ledger.`;
    throw new NodeFailure('unavailable', detail);
  }
  if (failures.length === 0) return first.identity;
  return { ...first.identity, unsure: failures.map(({ message }) => message).join(' ') };
}

function noNode(): NodeFailure {
  return new NodeFailure('unavailable', 'The ledger has no node.');
}
