import type { Block } from '../rpc/block.ts';
import { LongAnswer } from '../rpc/endpoint.ts';
import { classify } from '../rpc/errors.ts';
import { type RpcAnswer, type RpcCall, type RpcNode, tooLong } from '../rpc/node.ts';
import { type Receipt, readReceipt, receiptOf } from './receipt.ts';

/** A transaction and the block in which it was seen. */
export interface Seen {
  txId: string;
  block: Block;
}

/** Reads receipts of transactions whose blocks are known. */
export interface BlockReceipts {
  /** Receipts by id, as this node has them now; those that it does not have are left out. */
  read(node: RpcNode, seen: readonly Seen[]): Promise<Map<string, Receipt>>;
}

/**
 * Where at least half of a block is asked for, the block's receipts are read at once: a node computes them
 * together anyway. Nodes that do not know the method are remembered.
 */
export function createBlockReceipts(): BlockReceipts {
  const without = new Set<string>();

  return {
    async read(node, seen) {
      const byBlock = Map.groupBy(seen, ({ block }) => block.hash);
      const whole: Block[] = [];
      const single: string[] = [];
      for (const group of byBlock.values()) {
        const block = group[0]?.block;
        const all = block?.transactions?.length ?? Number.POSITIVE_INFINITY;
        const most = group.length > 1 && group.length * 2 >= all && !without.has(node.nodeId);
        if (block !== undefined && most) whole.push(block);
        else single.push(...group.map(({ txId }) => txId));
      }
      const inBlocks = whole.map(({ height }) => ({
        method: 'eth_getBlockReceipts',
        params: [`0x${height.toString(16)}`],
      }));
      const answers = await readEach(node, [...inBlocks, ...single.map(receiptOf)]);
      const receipts = new Map<string, Receipt>();
      const unread: string[] = [];
      for (const [index, block] of whole.entries()) {
        const answer = answers[index];
        if (answer?.ok === true && Array.isArray(answer.result)) {
          for (const one of answer.result.map(readReceipt)) receipts.set(one.txId, one);
          continue;
        }
        if (answer?.ok === false && classify(answer.error) === 'unknown-method') without.add(node.nodeId);
        unread.push(...(byBlock.get(block.hash) ?? []).map(({ txId }) => txId));
      }
      collect(receipts, answers.slice(whole.length));
      if (unread.length > 0) collect(receipts, await readEach(node, unread.map(receiptOf)));
      return receipts;
    },
  };
}

/** One that is too long to be read holds up no other. */
async function readEach(node: RpcNode, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
  const answers = await Promise.all(
    calls.map((call) =>
      node.batch([call]).catch((error: unknown) => {
        if (error instanceof LongAnswer) return [tooLong];
        throw error;
      }),
    ),
  );
  return answers.flat();
}

function collect(receipts: Map<string, Receipt>, answers: readonly RpcAnswer[]): void {
  for (const answer of answers) {
    if (!answer.ok || answer.result === null) continue;
    const receipt = readReceipt(answer.result);
    receipts.set(receipt.txId, receipt);
  }
}
