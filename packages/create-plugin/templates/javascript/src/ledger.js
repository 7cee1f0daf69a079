import { createHash, randomUUID } from 'node:crypto';
import { decode, idOf } from './transaction.js';

/**
 * `failure`: why the transfer failed.
 * @typedef {{ txId: string, failure?: string }} Executed
 * @typedef {{ height: number, hash: string, transactions: Executed[] }} Block
 */

/** Balance of an account before its first transfer. */
const gift = 1_000n;

/**
 * A toy ledger in memory: pending transactions are included in the next block, and there are no forks.
 * Replace it with the client of your ledger.
 */
export class Ledger {
  name;
  genesis = { height: 0, hash: randomUUID(), transactions: [] };
  blocks = [this.genesis];
  #listeners = new Set();
  #balances = new Map();
  #places = new Map();
  #pool = new Map();
  #next;

  constructor(name) {
    this.name = name;
  }

  get head() {
    return this.blocks.at(-1) ?? this.genesis;
  }

  balanceOf(address) {
    return this.#balances.get(address) ?? gift;
  }

  find(txId) {
    return this.#places.get(txId);
  }

  /** Adds a transaction to the next block, which is made within `blockTime` milliseconds. */
  submit(bytes, blockTime) {
    const txId = idOf(bytes);
    if (this.#pool.has(txId) || this.#places.has(txId)) return 'known';
    if (decode(bytes)?.network !== this.name) return 'refused';
    this.#pool.set(txId, bytes);
    this.#next ??= setTimeout(() => this.#mine(), blockTime);
    return 'accepted';
  }

  onBlock(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #mine() {
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

  #execute(txId, bytes) {
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

const ledgers = new Map();

/** The ledger of a network. All sessions of the process share it. */
export function ledgerOf(network) {
  const ledger = ledgers.get(network) ?? new Ledger(network);
  ledgers.set(network, ledger);
  return ledger;
}
