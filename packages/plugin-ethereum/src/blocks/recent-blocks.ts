import type { Block } from '../rpc/block.ts';

/** The most recent confirmed blocks and the transactions in them. */
export interface RecentBlocks {
  add(block: Block): void;
  /** Returns the block that contains this transaction; undefined if no recent block does. */
  blockOf(txId: string): Block | undefined;
  hashAt(height: number): string | undefined;
  clear(): void;
}

/** @param limit maximum number of blocks kept */
export function createRecentBlocks(limit = 64): RecentBlocks {
  const blocks = new Map<number, Block>();
  const transactions = new Map<string, Block>();

  function forget(block: Block): void {
    blocks.delete(block.height);
    for (const txId of block.transactions ?? []) {
      if (transactions.get(txId) === block) transactions.delete(txId);
    }
  }

  return {
    add(block) {
      const before = blocks.get(block.height);
      if (before !== undefined) forget(before);
      blocks.set(block.height, block);
      for (const txId of block.transactions ?? []) transactions.set(txId, block);
      const [oldest] = blocks.values();
      if (blocks.size > limit && oldest !== undefined) forget(oldest);
    },
    blockOf: (txId) => transactions.get(txId),
    hashAt: (height) => blocks.get(height)?.hash,
    clear() {
      blocks.clear();
      transactions.clear();
    },
  };
}
