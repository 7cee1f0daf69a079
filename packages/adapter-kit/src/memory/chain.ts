import { sha256, toHex } from './address.ts';
import { createPool, type Pool } from './pool.ts';
import { createState, type Execution, type LedgerState } from './state.ts';
import { costsOf, type MemoryTransaction } from './transaction.ts';

/** A mined transaction and its effects. */
export interface MinedTransaction {
  transaction: MemoryTransaction;
  execution: Execution;
  height: number;
  blockHash: string;
}

/** A block. Its hash covers its parent and its transactions. */
export interface Block {
  height: number;
  hash: string;
  parent: string;
  transactions: readonly MinedTransaction[];
}

/** Blocks, state and waiting transactions between two resets. */
export interface Chain {
  readonly blocks: readonly Block[];
  readonly state: LedgerState;
  readonly pool: Pool;
  head(): Block;
  mined(txId: string): MinedTransaction | undefined;
  /** Whether a block that is mined now would contain the transaction. */
  hasWork(gasPrice: bigint): boolean;
  mine(gasPrice: bigint): Block;
  /** Drops the last blocks and returns their transactions, oldest first. */
  drop(depth: number): MemoryTransaction[];
}

/** Rules for including transactions in a block, in addition to sequences, fees and funds. */
export interface ChainRules {
  /** Maximum number of transactions in a block. */
  blockSize: number;
  /** Whether the next transaction is included in a block as invalid. */
  takeInvalid(): boolean;
  /** Whether the transaction fits into a block at all. */
  fits(transaction: MemoryTransaction): boolean;
  /** Whether the transaction can never be mined; if so, the next block drops it. */
  isBarred(transaction: MemoryTransaction): boolean;
}

export function createChain(salt: string, rules: ChainRules): Chain {
  const { blockSize, takeInvalid, fits, isBarred } = rules;
  const state = createState();
  const pool = createPool(state);
  const mined = new Map<string, MinedTransaction>();
  const hashOf = (...parts: (string | number)[]) => toHex(sha256(JSON.stringify([salt, ...parts])));
  const genesis: Block = { height: 0, hash: hashOf('genesis'), parent: hashOf('nothing'), transactions: [] };
  const blocks = [genesis];
  /** Makes the hashes of blocks after a reorg differ from those of the dropped blocks. */
  let forks = 0;

  const isExpired = ({ validUntil }: MemoryTransaction) =>
    validUntil !== null && validUntil <= chain.head().height;
  const executable = (transaction: MemoryTransaction, price: bigint) => {
    const { from, sequence, gasPrice } = transaction;
    return (
      !isExpired(transaction) &&
      gasPrice >= price &&
      (sequence === null || sequence === state.nonceAt(from)) &&
      costsOf(transaction).every(([address, cost]) => state.balanceAt(address) >= cost) &&
      fits(transaction) &&
      !isBarred(transaction)
    );
  };

  const chain: Chain = {
    blocks,
    state,
    pool,
    head: () => blocks.at(-1) ?? genesis,
    mined: (txId) => mined.get(txId),
    hasWork: (gasPrice) => pool.transactions.some((transaction) => executable(transaction, gasPrice)),

    mine(gasPrice) {
      const parent = chain.head();
      const height = parent.height + 1;
      const executed: { transaction: MemoryTransaction; execution: Execution }[] = [];
      for (const waiting of pool.transactions) {
        // A transaction that arrived before its predecessor is added directly after it.
        let next: MemoryTransaction | undefined = waiting;
        while (next !== undefined && executed.length < blockSize && executable(next, gasPrice)) {
          pool.remove(next.txId);
          const invalid = next.sequence === null && takeInvalid();
          const execution: Execution = invalid
            ? { status: 'invalid', fee: 0n }
            : state.execute(next, gasPrice, height);
          executed.push({ transaction: next, execution });
          next = next.sequence === null ? undefined : pool.at(next.from, next.sequence + 1n);
        }
      }
      const hash = hashOf(height, parent.hash, forks, ...executed.map(({ transaction }) => transaction.txId));
      const transactions = executed.map((one) => ({ ...one, height, blockHash: hash }));
      for (const one of transactions) mined.set(one.transaction.txId, one);
      const block = { height, hash, parent: parent.hash, transactions };
      blocks.push(block);
      for (const waiting of pool.transactions)
        if (isBarred(waiting) || isExpired(waiting)) pool.remove(waiting.txId);
      pool.prune();
      return block;
    },

    drop(depth) {
      const keep = Math.max(1, blocks.length - depth);
      const dropped = blocks.splice(keep).flatMap((block) => block.transactions);
      for (const { transaction } of dropped) mined.delete(transaction.txId);
      state.truncate(chain.head().height);
      forks += 1;
      return dropped.map(({ transaction }) => transaction);
    },
  };
  return chain;
}
