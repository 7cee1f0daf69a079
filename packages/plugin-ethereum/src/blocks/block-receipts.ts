import { LongAnswer } from '@ledger-ops/adapter/outbound';
import type { Block } from '../rpc/block.ts';
import { classify } from '../rpc/errors.ts';
import { type RpcAnswer, type RpcCall, type RpcNode, tooLong } from '../rpc/node.ts';
import { type Receipt, receiptOf } from './receipt.ts';
import type { UnreadableReceipts } from './unreadable-receipts.ts';

/** A transaction and the block that contains it. */
export interface Seen {
  txId: string;
  block: Block;
}

/** Reads receipts of transactions whose blocks are known. Does not validate receipts of other transactions. */
export interface BlockReceipts {
  /** Receipts by id, as returned by this node; ids without a receipt are omitted. */
  read(node: RpcNode, seen: readonly Seen[]): Promise<Map<string, Receipt>>;
}

/**
 * Reads all receipts of a block in one call if at least half of the block is needed, because nodes compute
 * them together anyway. Remembers nodes without `eth_getBlockReceipts`.
 */
export function createBlockReceipts(unreadable: UnreadableReceipts): BlockReceipts {
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
      const add = (txId: string, value: unknown) => {
        const receipt = unreadable.read(node.nodeId, txId, value);
        if (receipt !== undefined) receipts.set(txId, receipt);
      };
      const addEach = (txIds: readonly string[], found: readonly RpcAnswer[]) => {
        for (const [index, txId] of txIds.entries()) {
          const one = found[index];
          if (one?.ok === true && one.result !== null) add(txId, one.result);
          if (one?.ok === false && one !== tooLong && classify(one.error) !== 'busy')
            unreadable.refused(node.nodeId, txId, one.error);
        }
      };
      const unread: string[] = [];
      for (const [index, block] of whole.entries()) {
        const answer = answers[index];
        if (answer?.ok === true && Array.isArray(answer.result)) {
          const ours = new Set(byBlock.get(block.hash)?.map(({ txId }) => txId));
          for (const value of answer.result) {
            const txId = transactionOf(value);
            if (txId !== undefined && ours.has(txId)) add(txId, value);
          }
          continue;
        }
        if (answer?.ok === false && classify(answer.error) === 'unknown-method') without.add(node.nodeId);
        unread.push(...(byBlock.get(block.hash) ?? []).map(({ txId }) => txId));
      }
      addEach(single, answers.slice(whole.length));
      if (unread.length > 0) addEach(unread, await readEach(node, unread.map(receiptOf)));
      return receipts;
    },
  };
}

/** Calls one by one, so that a receipt that is too long to read does not affect the others. */
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

/** Returns the transaction id in a receipt. */
function transactionOf(receipt: unknown): string | undefined {
  if (typeof receipt !== 'object' || receipt === null || !('transactionHash' in receipt)) return undefined;
  const { transactionHash } = receipt;
  return typeof transactionHash === 'string' ? transactionHash.toLowerCase() : undefined;
}
