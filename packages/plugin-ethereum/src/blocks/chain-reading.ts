import type { Cursor } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { type Block, blockAt, readBlockOrNull } from '../rpc/block.ts';
import { classify, quoteAnswer } from '../rpc/errors.ts';
import { type RpcAnswer, type RpcNode, tooLong } from '../rpc/node.ts';
import { type Receipt, receiptIn, receiptOf } from './receipt.ts';
import type { UnreadableReceipts } from './unreadable-receipts.ts';

/** Returns the error for two answers of one node that contradict each other. */
export function changed(node: RpcNode): NodeError {
  return new NodeError(
    'behind',
    `The chain changed on node ${node.nodeId} while it was being read. Try again.`,
  );
}

/** Returns the result of an answer. @throws NodeError if the node returned none */
export function require(answer: RpcAnswer | undefined): unknown {
  if (answer?.ok === true) return answer.result;
  throw new NodeError('unavailable', `A node could not return data of the chain.${quoteAnswer(answer)}`);
}

/** Whether a node reports that a height has no block and never will. */
export function hasNoBlock(answer: RpcAnswer | undefined): boolean {
  return answer?.ok === false && classify(answer.error) === 'no-block';
}

/** Maximum consecutive heights without a block. */
const longestGap = 20;

/** Returns the block at a height, or the nearest block below it if this height has none. @throws NodeError */
export async function lastBlockAt(node: RpcNode, height: number): Promise<Block> {
  for (let below = 0; below <= Math.min(longestGap, height); below += 1) {
    const [answer] = await node.batch([blockAt(height - below)]);
    if (hasNoBlock(answer)) continue;
    const block = readBlockOrNull(require(answer));
    if (block === null) throw changed(node);
    return block;
  }
  throw changed(node);
}

/**
 * Returns receipts in blocks up to the cursor, and verifies that the cursor's block is still in the chain
 * after they were read. `early`: ids whose receipt is in a later block or whose response is too long.
 * `unread`: ids whose receipt is refused, malformed, or in a block that is not in the chain.
 */
export async function receiptsAt(
  node: RpcNode,
  txIds: readonly string[],
  cursor: Cursor,
  unreadable: UnreadableReceipts,
): Promise<{ final: Receipt[]; early: Set<string>; unread: Set<string> }> {
  // One address may lead to several nodes, so the block is requested before and after the receipts.
  const { seen, answers } = await node.witnessed(blockAt(cursor.height), txIds.map(receiptOf));
  for (const answer of seen) {
    if (readBlockOrNull(require(answer))?.hash !== cursor.hash) throw changed(node);
  }
  const long = txIds.filter((_, index) => answers[index] === tooLong);
  const unread = new Set<string>();
  const receipts = txIds.flatMap((txId, index) => {
    const answer = answers[index];
    if (answer === tooLong) return [];
    if (answer?.ok === false && classify(answer.error) !== 'busy') {
      unreadable.refused(node.nodeId, txId, answer.error);
      unread.add(txId);
      return [];
    }
    const value = require(answer);
    const receipt = value === null ? undefined : unreadable.read(node.nodeId, txId, value);
    if (value !== null && receipt === undefined) unread.add(txId);
    return receipt ?? [];
  });
  const final = receipts.filter(({ height }) => height <= cursor.height);
  const above = receipts.filter(({ height }) => height > cursor.height);
  const early = new Set([...above.map(({ txId }) => txId), ...long]);
  const heights = [...new Set([cursor.height, ...final.map(({ height }) => height)])];
  const answered = await node.batch(heights.map(blockAt));
  const blocks = new Map<number, Block | null>();
  for (const [index, height] of heights.entries()) {
    const answer = answered[index];
    blocks.set(height, hasNoBlock(answer) ? null : readBlockOrNull(require(answer)));
  }
  if (blocks.get(cursor.height)?.hash !== cursor.hash) throw changed(node);
  // The chain did not change between the two reads, so a receipt of another block is wrong.
  const placed = final.flatMap((receipt) => {
    const block = blocks.get(receipt.height);
    if (block?.hash === receipt.blockHash) return receiptIn(receipt, block);
    unreadable.contradicts(node.nodeId, receipt);
    unread.add(receipt.txId);
    return [];
  });
  return { final: placed, early, unread };
}
