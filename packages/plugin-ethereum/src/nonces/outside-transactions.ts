import QuickLRU from 'quick-lru';
import { require } from '../blocks/chain-reading.ts';
import { UnreadableReceipts } from '../blocks/unreadable-receipts.ts';
import { latestBlock, readBlock } from '../rpc/block.ts';
import type { RpcNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { isHash, isObject, isQuantity, toHex } from '../rpc/quantity.ts';
import { findNonceUse, type NonceUse } from './nonce-use.ts';
import { pooledTransactions } from './pooled-transactions.ts';

/** Maximum number of blocks below the newest one that are searched for an account's transactions. */
const deepest = 5_000;
/** Number of full blocks (with their transactions) that are read concurrently. */
const atOnce = 4;
/**
 * Maximum number of accounts whose searches are kept, and maximum number of transactions kept per account.
 */
const mostAccounts = 16;
const mostFound = 1_000;

/**
 * Range of blocks that were searched for an account's transactions: from `from` to `to`. `to` is -1 before
 * the first search.
 */
interface Searched {
  from: number;
  to: number;
  /** The search in progress. */
  search: Promise<void> | undefined;
  /** Transaction ids by nonce. */
  readonly found: Map<bigint, string>;
}

/**
 * Finds transactions of accounts that this service did not send, by their nonces.
 *
 * If a node keeps the state of old blocks, a few transaction counts lead to the block. Most nodes keep only
 * the newest 128 states. With these, reads blocks, the newest first, for a limited time per call. The next
 * call continues.
 *
 * Stores, by account, the blocks that were searched so far, and the search in progress. Calls for the same
 * account share a search.
 */
export class OutsideTransactions {
  readonly #nodes: Nodes;
  readonly #now: () => number;
  readonly #limit: number;
  readonly #searched = new QuickLRU<string, Searched>({ maxSize: mostAccounts });

  /** @param limit how long one call may search blocks, in milliseconds */
  constructor(nodes: Nodes, { now, limit }: { now: () => number; limit: number }) {
    this.#nodes = nodes;
    this.#now = now;
    this.#limit = limit;
  }

  /**
   * Returns the id of the transaction that used a nonce, in a block or in the mempool, according to the first
   * working node; null if that node finds none.
   */
  find(address: string, sequence: bigint): Promise<string | null> {
    return this.#nodes.onNode('lookup', async (node) => {
      const use = await useOf(node, address, sequence, this.#nodes.lastIdentity()?.chainId);
      if (use.kind === 'foreign') return use.by ?? null;
      const pooled = (await pooledTransactions(node, address)).get(sequence);
      if (pooled !== undefined) return pooled;
      if (use.kind === 'own' || !use.isPruned) return null;
      return await this.#search(node, address.toLowerCase(), sequence);
    });
  }

  /** Clears everything, after a reorg. */
  clear(): void {
    this.#searched.clear();
  }

  /** Searches for this nonce, or waits for the search in progress, which also finds all later nonces. */
  async #search(node: RpcNode, key: string, sequence: bigint): Promise<string | null> {
    const searched = this.#searched.get(key) ?? { from: 0, to: -1, found: new Map(), search: undefined };
    this.#searched.set(key, searched);
    searched.search ??= this.#extend(node, key, searched, sequence).finally(() => {
      searched.search = undefined;
    });
    await searched.search;
    return searched.found.get(sequence) ?? null;
  }

  async #extend(node: RpcNode, key: string, searched: Searched, sequence: bigint): Promise<void> {
    const [latest] = await node.batch([latestBlock]);
    const { height } = readBlock(require(latest));
    if (searched.to < 0) {
      searched.from = height + 1;
      searched.to = height;
    }
    const end = this.#now() + this.#limit;
    // Searches the blocks that were mined since the last call first.
    while (searched.to < height && this.#now() < end) {
      const to = Math.min(height, searched.to + atOnce);
      await this.#read(node, key, searched, range(searched.to + 1, to));
      searched.to = to;
    }
    const lowest = Math.max(0, height - deepest);
    while (searched.from > lowest && this.#now() < end && !isSettled(searched, sequence)) {
      const from = Math.max(lowest, searched.from - atOnce);
      await this.#read(node, key, searched, range(from, searched.from - 1));
      searched.from = from;
    }
  }

  /** Adds the account's transactions in these blocks. */
  async #read(node: RpcNode, key: string, { found }: Searched, heights: readonly number[]): Promise<void> {
    const answers = await node.batch(
      heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [toHex(height), true] })),
    );
    for (const answer of answers) {
      if (!answer.ok || !isObject(answer.result)) continue;
      const { transactions } = answer.result;
      for (const one of Array.isArray(transactions) ? transactions.filter(isObject) : []) {
        const { from, nonce, hash } = one;
        const isOfAccount = typeof from === 'string' && from.toLowerCase() === key;
        if (isOfAccount && isQuantity(nonce) && isHash(hash) && found.size < mostFound)
          found.set(BigInt(nonce), hash.toLowerCase());
      }
    }
  }
}

/** Whether older blocks cannot contain a nonce, because it or a lower nonce was found. */
function isSettled({ found }: Searched, sequence: bigint): boolean {
  return found.has(sequence) || [...found.keys()].some((nonce) => nonce < sequence);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** Returns how a nonce was used, according to a node's blocks. */
export async function useOf(
  node: RpcNode,
  address: string,
  sequence: bigint,
  chainId: bigint | undefined,
): Promise<NonceUse> {
  const [latest] = await node.batch([latestBlock]);
  const { height, hash } = readBlock(require(latest));
  const slot = { address, sequence, txIds: [] };
  const context = { chainId, hint: undefined, unreadable: new UnreadableReceipts() };
  return findNonceUse(node, slot, { height, hash }, context);
}
