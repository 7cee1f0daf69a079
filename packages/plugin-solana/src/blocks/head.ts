import { answers } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';

/** A block's position. Slots may have no block; heights count blocks. */
export interface Block {
  slot: bigint;
  height: number;
  hash: string;
}

/**
 * Number of blocks after which a blockhash expires: `lastValidBlockHeight` is the height of its block plus this number.
 */
const blockhashAge = 150;

/** Returns a node's newest block at a commitment. Slot, height and hash come from one answer. */
export async function readHead(
  node: SolanaNode,
  commitment: 'confirmed' | 'finalized' = 'confirmed',
): Promise<Block & { lastValidHeight: number }> {
  const { context, value } = await node.ask('getLatestBlockhash', [{ commitment }], answers.latestBlockhash);
  const lastValidHeight = Number(value.lastValidBlockHeight);
  return {
    slot: context.slot,
    height: lastValidHeight - blockhashAge,
    hash: value.blockhash,
    lastValidHeight,
  };
}

/** Returns the confirmed block in a slot; null if the node has none. */
export async function readBlock(node: SolanaNode, slot: bigint): Promise<Block | null> {
  const config = {
    commitment: 'confirmed',
    transactionDetails: 'none',
    rewards: false,
    maxSupportedTransactionVersion: 0,
  };
  const block = await node.ask('getBlock', [Number(slot), config], answers.block);
  return block === null ? null : { slot, height: Number(block.blockHeight), hash: block.blockhash };
}
