import { answers, ask } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';

/** A block's place: slots may have no block, heights count blocks. */
export interface Block {
  slot: bigint;
  height: number;
  hash: string;
}

/** Blocks after which a blockhash is not known any more: `lastValidBlockHeight` is its block's height and these. */
const blockhashAge = 150;

/** The newest block that a node has at a commitment: one answer says its slot, height and hash. */
export async function readHead(
  { nodeId, rpc }: SolanaNode,
  commitment: 'confirmed' | 'finalized' = 'confirmed',
): Promise<Block & { lastValidHeight: number }> {
  const { context, value } = await ask(
    nodeId,
    rpc.getLatestBlockhash({ commitment }),
    answers.latestBlockhash,
  );
  const lastValidHeight = Number(value.lastValidBlockHeight);
  return {
    slot: context.slot,
    height: lastValidHeight - blockhashAge,
    hash: value.blockhash,
    lastValidHeight,
  };
}

/** The confirmed block in a slot; null where the node has none. */
export async function readBlock({ nodeId, rpc }: SolanaNode, slot: bigint): Promise<Block | null> {
  const call = rpc.getBlock(slot, {
    commitment: 'confirmed',
    transactionDetails: 'none',
    rewards: false,
    maxSupportedTransactionVersion: 0,
  });
  const block = await ask(nodeId, call, answers.block);
  return block === null ? null : { slot, height: Number(block.blockHeight), hash: block.blockhash };
}
