import { createHash, randomUUID } from 'node:crypto';
import { decode, idOf } from './transaction.ts';

/** A transaction in a block. */
export interface Executed {
  txId: string;
  /** Why the transfer failed. */
  failure?: string;
}

export interface Block {
  height: number;
  hash: string;
  transactions: Executed[];
}

/** Balance of an account before its first transfer. */
const gift = 1_000n;

/**
 * A toy ledger in memory: pending transactions are included in the next block, and there are no forks.
 * Replace it with the client of your ledger.
 */
export class Ledger {
  readonly name: string;
  readonly genesis: Block = { height: 0, hash: randomUUID(), transactions: [] };
  readonly blocks: Block[] = [this.genesis];
  readonly #listeners = new Set<(block: Block) => void>();
  readonly #balances = new Map<string, bigint>();
  readonly #places = new Map<string, { block: Block; executed: Executed }>();
  readonly #pool = new Map<string, Uint8Array>();
  #next: NodeJS.Timeout | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get head(): Block {
    return this.blocks.at(-1) ?? this.genesis;
  }

  balanceOf(address: string): bigint {
    return this.#balances.get(address) ?? gift;
  }

  find(txId: string): { block: Block; executed: Executed } | undefined {
    return this.#places.get(txId);
  }

  /** Adds a transaction to the next block, which is made within `blockTime` milliseconds. */
  submit(bytes: Uint8Array, blockTime: number): 'accepted' | 'known' | 'refused' {
    const txId = idOf(bytes);
    if (this.#pool.has(txId) || this.#places.has(txId)) return 'known';
    if (decode(bytes)?.network !== this.name) return 'refused';
    this.#pool.set(txId, bytes);
    this.#next ??= setTimeout(() => this.#mine(), blockTime);
    return 'accepted';
  }

  onBlock(listener: (block: Block) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #mine(): void {
    this.#next = undefined;
    const height = this.blocks.length;
    const transactions = [...this.#pool].map(([txId, bytes]) => this.#execute(txId, bytes));
    this.#pool.clear();
    const content = JSON.stringify([this.head.hash, height, transactions]);
    const block = { height, hash: createHash('sha256').update(content).digest('hex'), transactions };
    this.blocks.push(block);
    for (const executed of transactions) this.#places.set(executed.txId, { block, executed });
    for (const listener of this.#listeners) listener(block);
  }

  #execute(txId: string, bytes: Uint8Array): Executed {
    const transfer = decode(bytes);
    if (transfer === undefined) return { txId, failure: 'it is not a transfer' };
    const { from, to, amount } = transfer;
    const balance = this.balanceOf(from);
    if (balance < BigInt(amount))
      return { txId, failure: `the account holds ${balance}, but the transfer needs ${amount}` };
    this.#balances.set(from, balance - BigInt(amount));
    this.#balances.set(to, this.balanceOf(to) + BigInt(amount));
    return { txId };
  }
}

const ledgers = new Map<string, Ledger>();

/** Returns the ledger of a network. All sessions of the process share it. */
export function ledgerOf(network: string): Ledger {
  const ledger = ledgers.get(network) ?? new Ledger(network);
  ledgers.set(network, ledger);
  return ledger;
}
