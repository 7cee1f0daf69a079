import type { Cursor } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import { type Block, blockAt, readBlockOrNull } from '../rpc/block.ts';
import { readable } from '../rpc/errors.ts';
import { type RpcAnswer, type RpcNode, tooLong } from '../rpc/node.ts';
import { type Receipt, readReceipt, receiptIn, receiptOf } from './receipt.ts';

/** The error for two answers of a node that do not fit each other. */
export function changed(node: RpcNode): NodeError {
  return new NodeError('behind', `The chain changed on node ${node.nodeId} while it was read: ask again.`);
}

/** An answer's result. @throws NodeError when the node gave none. */
export function require(answer: RpcAnswer | undefined): unknown {
  if (answer?.ok === true) return answer.result;
  const said = answer === undefined ? 'nothing' : `${readable(answer.error.message)} (${answer.error.code})`;
  throw new NodeError('unavailable', `A node could not say what is in the chain: ${said}.`);
}

/** Receipts at or below a block that is still there afterwards; `early` ones are above it, or cannot be read for their length. */
export async function receiptsAt(
  node: RpcNode,
  txIds: readonly string[],
  cursor: Cursor,
): Promise<{ final: Receipt[]; early: Set<string> }> {
  // Behind an address there may be many nodes: whichever answers a request must have the block, before and after.
  const { seen, answers } = await node.witnessed(blockAt(cursor.height), txIds.map(receiptOf));
  for (const answer of seen) {
    if (readBlockOrNull(require(answer))?.hash !== cursor.hash) throw changed(node);
  }
  const long = txIds.filter((_, index) => answers[index] === tooLong);
  const receipts = answers.flatMap((answer) => {
    if (answer === tooLong) return [];
    const value = require(answer);
    return value === null ? [] : [readReceipt(value)];
  });
  const final = receipts.filter(({ height }) => height <= cursor.height);
  const above = receipts.filter(({ height }) => height > cursor.height);
  const early = new Set([...above.map(({ txId }) => txId), ...long]);
  const hashes = new Map(final.map(({ height, blockHash }) => [height, blockHash]));
  hashes.set(cursor.height, cursor.hash);
  const heights = [...hashes.keys()];
  const answered = await node.batch(heights.map(blockAt));
  const blocks = new Map<string, Block>();
  for (const [index, height] of heights.entries()) {
    const block = readBlockOrNull(require(answered[index]));
    if (block === null || block.hash !== hashes.get(height)) throw changed(node);
    blocks.set(block.hash, block);
  }
  const placed = final.map((receipt) => {
    const block = blocks.get(receipt.blockHash);
    if (block === undefined) throw changed(node);
    return receiptIn(receipt, block);
  });
  return { final: placed, early };
}
