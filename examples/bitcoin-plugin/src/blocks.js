// @ts-check
import { adapterError } from '@ledger-ops/adapter';
import { toSatoshi } from './coins.js';
import { SpentCoins } from './spent-coins.js';

/**
 * @import { ClaimingTransaction, Confirmed, ConfirmRequest, Head, LookupResult, Outcome, PendingTransaction } from '@ledger-ops/adapter'
 * @import { Coins } from './coins.js'
 * @import { Nodes } from './node.js'
 * @import { SpendingBlock } from './spent-coins.js'
 */

/**
 * Maximum number of blocks that one call reads from a cursor, and maximum number that are searched for the transaction
 * that spent a coin.
 */
const [mostBlocks, mostSearched] = [50, 2_016];
/** Number of concurrent lookups of transactions, and of concurrent reads of blocks. */
const [lookedUpTogether, readTogether] = [16, 4];

/** Reads the outcomes of transactions from blocks. */
export class Blocks {
  #nodes;
  #coins;
  #confirmations;
  #spent = new SpentCoins();

  /**
   * @param {Nodes} nodes
   * @param {Coins} coins
   * @param {number} confirmations
   */
  constructor(nodes, coins, confirmations) {
    this.#nodes = nodes;
    this.#coins = coins;
    this.#confirmations = confirmations;
  }

  /** @returns {Promise<Head>} */
  async head() {
    const { height, hash } = await this.#header(await this.#nodes.ask('getbestblockhash'));
    return { height, hash };
  }

  /**
   * @param {ConfirmRequest} request
   * @returns {Promise<Confirmed>}
   */
  async confirm({ cursor, pending }) {
    const head = await this.head();
    if (cursor !== null && cursor.height > head.height)
      throw adapterError(
        'unavailable',
        `The node is at block ${head.height} and has not reached block ${cursor.height} yet.`,
      );
    const deepest = Math.max(0, head.height - this.#confirmations + 1);
    const reorganised = cursor !== null && (await this.#hashAt(cursor.height)) !== cursor.hash;
    if (cursor !== null && !reorganised)
      return { head, reorganised, ...(await this.#readFrom(cursor, deepest, pending)) };
    const at = { height: deepest, hash: await this.#hashAt(deepest) };
    return { head, reorganised, cursor: at, outcomes: await this.#search(pending, head, deepest) };
  }

  /**
   * @param {string} txId
   * @returns {Promise<LookupResult | null>}
   */
  async lookUp(txId) {
    const found = await this.#coins.find(txId);
    if (found === null) return null;
    const { hex: _, ...receipt } = found;
    if (!found.confirmations) return { txId, status: 'PENDING', receipt };
    const { height, hash: blockHash } = await this.#header(found.blockhash);
    if (found.confirmations < this.#confirmations)
      return { txId, status: 'PENDING', height, blockHash, receipt };
    const { blockTime, fee } = await this.#executed(found, found.blocktime);
    return {
      txId,
      status: 'SUCCEEDED',
      height,
      blockHash,
      blockTime,
      ...(fee !== undefined && { fee }),
      receipt,
    };
  }

  /**
   * Reads the blocks after a cursor that are deep enough.
   * @param {Head} cursor
   * @param {number} deepest
   * @param {ConfirmRequest['pending']} pending
   */
  async #readFrom(cursor, deepest, pending) {
    const claims = claimsOf(pending);
    /** @type {Map<string, Outcome>} */
    const outcomes = new Map();
    let last = cursor;
    const end = Math.min(deepest, cursor.height + mostBlocks);
    while (last.height < end) {
      const heights = Array.from(
        { length: Math.min(readTogether, end - last.height) },
        (_, n) => last.height + 1 + n,
      );
      const hashes = await Promise.all(heights.map((height) => this.#hashAt(height)));
      for (const block of await Promise.all(hashes.map((hash) => this.#block(hash)))) {
        if (block.previousblockhash !== last.hash) throw replaced();
        this.#spent.add(block);
        const at = { height: block.height, blockHash: block.hash };
        const executed = block.tx.filter((/** @type {any} */ { txid }) => pending.has(txid));
        await Promise.all(
          executed.map(async (/** @type {any} */ transaction) => {
            const { txid: txId } = transaction;
            const details = await this.#executed(transaction, block.time);
            outcomes.set(txId, { ...at, txId, status: 'succeeded', ...details });
          }),
        );
        for (const { txid: by, vin } of block.tx)
          for (const { txid, vout } of vin) supersede(outcomes, claims, `${txid}:${vout}`, by, at);
        last = { height: block.height, hash: block.hash };
      }
    }
    return { cursor: last, outcomes: [...outcomes.values()] };
  }

  /**
   * Finds outcomes of transactions in any block.
   * @param {ConfirmRequest['pending']} pending
   * @param {Head} head
   * @param {number} deepest
   */
  async #search(pending, head, deepest) {
    /** @type {Map<string, Outcome>} */
    const outcomes = new Map();
    /** @type {Set<string>} */
    const spent = new Set();
    let lowest = head.height;
    const all = [...pending];
    for (let at = 0; at < all.length; at += lookedUpTogether) {
      const some = all.slice(at, at + lookedUpTogether);
      for (const found of await Promise.all(some.map((one) => this.#find(...one)))) {
        if (found.outcome !== undefined) outcomes.set(found.outcome.txId, found.outcome);
        for (const { claim, height } of found.spent) {
          spent.add(claim);
          lowest = Math.min(lowest, height);
        }
      }
    }
    if (spent.size === 0) return [...outcomes.values()];
    const claims = claimsOf(pending);
    for await (const { height, hash: blockHash, spenders } of this.#blocksDown(head, lowest)) {
      for (const claim of spent) {
        const by = spenders.get(claim);
        if (by === undefined) continue;
        spent.delete(claim);
        if (height <= deepest) supersede(outcomes, claims, claim, by, { height, blockHash });
      }
      if (spent.size === 0) break;
    }
    return [...outcomes.values()];
  }

  /**
   * Looks a transaction up. Returns its outcome if it is in a deep block. If the node does not have it, returns those of its
   * coins that are spent, each with the height at which it was created.
   * @param {string} txId
   * @param {PendingTransaction} pending
   * @returns {Promise<{ outcome?: Outcome, spent: { claim: string, height: number }[] }>}
   */
  async #find(txId, { claims = [], needs = [] }) {
    const found = await this.#coins.find(txId);
    if (found?.confirmations >= this.#confirmations) {
      const { height, hash: blockHash } = await this.#header(found.blockhash);
      const details = await this.#executed(found, found.blocktime);
      return { outcome: { txId, status: 'succeeded', height, blockHash, ...details }, spent: [] };
    }
    // A mempool does not contain transactions whose coins are spent or do not exist.
    if (found !== null) return { spent: [] };
    const own = [...claims, ...(await this.#claimsOfLost(needs))];
    const heights = await Promise.all(own.map((claim) => this.#heightIfSpent(claim)));
    const spent = own.flatMap((claim, at) => {
      const height = heights[at];
      return height === undefined ? [] : { claim, height };
    });
    return { spent };
  }

  /**
   * Yields blocks from the newest down, with the coins that they spend. Only blocks that are not cached are read.
   * @param {Head} head
   * @param {number} lowest height
   * @returns {AsyncGenerator<SpendingBlock>}
   */
  async *#blocksDown(head, lowest) {
    const end = Math.max(lowest, head.height - mostSearched);
    /** @type {SpendingBlock[]} */
    let read = [];
    for (let { height, hash } = head; height >= end; height -= 1) {
      let block = this.#spent.get(hash) ?? read.find((one) => one.hash === hash);
      if (block === undefined) {
        const heights = Array.from(
          { length: Math.min(readTogether, height - end + 1) },
          (_, n) => height - n,
        );
        read = await Promise.all(heights.map((one) => this.#spentAt(one)));
        block = read.find((one) => one.hash === hash);
      }
      if (block === undefined) throw replaced();
      yield block;
      hash = block.previous;
    }
  }

  /**
   * The claims of transactions that the chain does not contain.
   * @param {readonly ClaimingTransaction[]} transactions
   */
  async #claimsOfLost(transactions) {
    const found = await Promise.all(transactions.map(({ txId }) => this.#coins.find(txId)));
    return transactions.flatMap(({ claims }, at) => (found[at]?.confirmations ? [] : claims));
  }

  /**
   * The height of a coin that is spent in the chain; undefined if it is unspent, or not in the chain.
   * @param {string} claim
   */
  async #heightIfSpent(claim) {
    const [txId = '', index = ''] = claim.split(':');
    if ((await this.#nodes.ask('gettxout', txId, Number(index), false)) !== null) return undefined;
    const found = await this.#coins.find(txId);
    return found?.confirmations ? (await this.#header(found.blockhash)).height : undefined;
  }

  /**
   * Returns the block time in milliseconds and, if the node has the parents, the fee in satoshi.
   * @param {any} transaction
   * @param {number} seconds
   */
  async #executed({ vin, vout }, seconds) {
    let fee = -sum(vout);
    for (const { txid, vout: index } of vin) {
      const value = (await this.#coins.find(txid))?.vout[index]?.value;
      if (value === undefined) return { blockTime: seconds * 1_000 };
      fee += toSatoshi(value);
    }
    return { blockTime: seconds * 1_000, fee };
  }

  /**
   * @param {string} hash
   * @returns {Promise<Head>}
   */
  async #header(hash) {
    return this.#spent.get(hash) ?? this.#nodes.ask('getblockheader', hash, true);
  }

  /**
   * @param {number} height
   * @returns {Promise<string>}
   */
  #hashAt(height) {
    return this.#nodes.ask('getblockhash', height);
  }

  /** @param {number} height */
  async #spentAt(height) {
    const hash = await this.#hashAt(height);
    return this.#spent.get(hash) ?? this.#spent.add(await this.#block(hash));
  }

  /** @param {string} hash */
  async #block(hash) {
    const block = await this.#nodes.ask('getblock', hash, 2);
    // btcd names the member `rawtx`.
    return { ...block, tx: block.rawtx ?? block.tx };
  }
}

const replaced = () => adapterError('unavailable', 'Blocks were replaced while they were read. Try again.');

/** @param {{ value: number }[]} outputs */
const sum = (outputs) => outputs.reduce((total, { value }) => total + toSatoshi(value), 0n);

/**
 * Pending transactions by the coins that no other transaction may spend: the coins of their own inputs, and those of the
 * transactions that they need. `spender` is the only transaction that may spend the coin.
 * @param {ConfirmRequest['pending']} pending
 */
function claimsOf(pending) {
  /** @type {Map<string, { txId: string, spender: string }[]>} */
  const found = new Map();
  for (const [txId, { claims = [], needs = [] }] of pending) {
    for (const holder of [{ txId, claims }, ...needs]) {
      for (const claim of holder.claims)
        found.set(claim, [...(found.get(claim) ?? []), { txId, spender: holder.txId }]);
    }
  }
  return found;
}

/**
 * Records that a transaction in a block spent a coin: other transactions that need the coin can no longer be executed.
 * @param {Map<string, Outcome>} outcomes
 * @param {ReturnType<typeof claimsOf>} claims
 * @param {string} claim
 * @param {string} by
 * @param {{ height: number, blockHash: string }} at
 */
function supersede(outcomes, claims, claim, by, at) {
  for (const { txId, spender } of claims.get(claim) ?? []) {
    if (spender !== by && !outcomes.has(txId))
      outcomes.set(txId, { ...at, txId, status: 'superseded', claim, by });
  }
}
