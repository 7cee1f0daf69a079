// @ts-check
import { adapterError } from '@ledger-ops/adapter';
import { coin as parameters } from './networks.js';
import { noneIf } from './node.js';
import { claimOf, dustLimit, isSignedBy, sizeOf } from './transaction.js';

/**
 * @import { ClaimingTransaction } from '@ledger-ops/adapter'
 * @import { Nodes } from './node.js'
 * @import { Coin } from './transaction.js'
 *
 * The wallet's coins in the chain, as of its newest block.
 * @typedef {{ head: string, height: number, coins: (Coin & { height: number })[] }} Listing
 */

/** Maximum number of inputs, and of unconfirmed transactions that are searched for change. */
const [mostInputs, mostParents] = [100, 25];
/** Maximum number of parents that are stored with a transaction, and of claims of each parent. */
const [mostNeeded, mostClaims] = [100, 32];
/** Maximum number of unconfirmed ancestors that nodes accept, including the new transaction. */
const longestChain = 25;
/** Number of transactions per page of an address index. */
const pageSize = 100;

/** @param {number} bitcoin as nodes report amounts */
export const toSatoshi = (bitcoin) => BigInt(Math.round(bitcoin * 1e8));

/** Reads the coins of wallets from nodes. */
export class Coins {
  /** @type {Nodes} */
  #nodes;
  /** Listings by address. A new block replaces them. @type {Map<string, Listing>} */
  #listings = new Map();
  /**
   * Resolves after the last listing, because Bitcoin Core scans for one caller at a time.
   * @type {Promise<unknown>}
   */
  #last = Promise.resolve();

  /** @param {Nodes} nodes */
  constructor(nodes) {
    this.#nodes = nodes;
  }

  /**
   * The unspent coins of an address in the chain.
   * @param {string} address
   * @returns {Promise<Listing>}
   */
  list(address) {
    const next = this.#last.then(() => this.#listAgain(address));
    this.#last = next.catch(() => undefined);
    return next;
  }

  /**
   * Coins in deep blocks that no other transaction spends.
   * @param {string} address
   * @param {readonly ClaimingTransaction[]} unsettled transactions of the wallet
   * @param {number} confirmations
   * @returns {Promise<Coin[]>}
   */
  async final(address, unsettled, confirmations) {
    const taken = new Set(unsettled.flatMap(({ claims }) => claims));
    const { coins, height } = await this.list(address);
    const free = coins
      .filter((coin) => coin.height <= height - confirmations + 1 && !taken.has(claimOf(coin)))
      .toSorted((first, second) => (first.amount < second.amount ? 1 : -1))
      .slice(0, mostInputs);
    return this.#unspentInMempool(free);
  }

  /**
   * Change of the wallet's own transactions that are not final. The change of a transaction that may be replaced is not
   * used, because a transaction that spends it could never be executed after the replacement.
   * @param {string} address
   * @param {string} script of the address
   * @param {readonly ClaimingTransaction[]} unsettled transactions of the wallet
   * @returns {Promise<Coin[]>}
   */
  async change(address, script, unsettled) {
    const taken = new Set(unsettled.flatMap(({ claims }) => claims));
    const replaceable = withSharedClaims(unsettled);
    const parents = unsettled.map(({ txId }) => txId).filter((txId) => !replaceable.has(txId));
    const { coins } = await this.list(address);
    const confirmed = coins.filter(({ txId }) => parents.includes(txId));
    const found = await this.#unspentInMempool(confirmed.slice(0, mostInputs));
    const known = new Set(confirmed.map(({ txId }) => txId));
    for (const txId of parents.filter((one) => !known.has(one)).slice(-mostParents))
      found.push(...(await this.#unconfirmedChange(txId, script)));
    return found.filter((coin) => !taken.has(claimOf(coin)));
  }

  /**
   * The output that a coin's id names, even if it is spent.
   * @param {{ txId: string, index: number }} coin
   * @returns {Promise<Coin>}
   */
  async read({ txId, index }) {
    const unspent = await this.#nodes.ask('gettxout', txId, index, false);
    const value = unspent?.value ?? (await this.find(txId))?.vout[index]?.value;
    if (value === undefined)
      throw adapterError(
        'unavailable',
        `No node has the transaction ${txId}, so the amount of its output is unknown.`,
      );
    return { txId, index, amount: toSatoshi(value) };
  }

  /**
   * The transactions that create these coins, and their ancestors, the nearest first. Omits those that are too deep for a
   * reorg, and the ancestors of the wallet's own transactions, which were stored with these.
   * @param {readonly Coin[]} coins
   * @param {string} publicKey of the wallet
   * @returns {Promise<ClaimingTransaction[]>}
   */
  async parentsOf(coins, publicKey) {
    /** @type {ClaimingTransaction[]} */
    const needs = [];
    const seen = new Set(coins.map(({ txId }) => txId));
    let next = [...seen];
    while (next.length > 0 && needs.length < mostNeeded) {
      const level = next.slice(0, mostNeeded - needs.length);
      const found = await Promise.all(level.map((txId) => this.find(txId)));
      next = [];
      for (const [at, txId] of level.entries()) {
        const parent = found[at];
        if (parent?.confirmations >= parameters.deepest) continue;
        const inputs = (parent?.vin ?? []).filter((/** @type {any} */ { txid }) => txid !== undefined);
        const claims = inputs.map((/** @type {any} */ { txid, vout }) => `${txid}:${vout}`);
        needs.push({ txId, claims: claims.slice(0, mostClaims) });
        if (inputs.some((/** @type {any} */ input) => isSignedBy(input, publicKey))) continue;
        for (const { txid } of inputs) {
          if (seen.has(txid)) continue;
          seen.add(txid);
          next.push(txid);
        }
      }
    }
    return needs;
  }

  /**
   * A transaction in a block or in the mempool; null if the node has none with this id.
   * @param {string} txId
   */
  async find(txId) {
    if (!/^[0-9a-f]{64}$/.test(txId)) return null;
    return this.#nodes.ask('getrawtransaction', txId, 1).catch(noneIf(-5));
  }

  /**
   * @param {string} address
   * @returns {Promise<Listing>}
   */
  async #listAgain(address) {
    const head = await this.#nodes.ask('getbestblockhash');
    const last = this.#listings.get(address);
    if (last !== undefined && last.head === head) return last;
    const listing = (await this.#scan(address)) ?? (await this.#readIndex(address, head));
    this.#listings.set(address, listing);
    return listing;
  }

  /**
   * Lists coins with Bitcoin Core.
   * @param {string} address
   * @returns {Promise<Listing | undefined>}
   */
  async #scan(address) {
    const found = await this.#nodes
      .ask('scantxoutset', 'start', [`addr(${address})`])
      .catch(noneIf('unknown method'));
    if (found === null) return undefined;
    const coins = found.unspents
      .filter(
        (/** @type {any} */ one) => one.coinbase !== true || one.height <= found.height - parameters.maturity,
      )
      .map((/** @type {any} */ { txid, vout, amount, height }) => ({
        ...{ txId: txid, index: vout, height },
        amount: toSatoshi(amount),
      }));
    return { head: found.bestblock, height: found.height, coins };
  }

  /**
   * Lists coins with btcd and its option `addrindex`.
   * @param {string} address
   * @param {string} head
   * @returns {Promise<Listing>}
   */
  async #readIndex(address, head) {
    const { height } = await this.#nodes.ask('getblockheader', head, true);
    /** @type {Map<string, Coin & { height: number }>} */
    const coins = new Map();
    const spent = new Set();
    for (let page = 0; ; page += 1) {
      const found = await this.#nodes
        .ask('searchrawtransactions', address, 1, page * pageSize, pageSize)
        .catch(noneIf(-5));
      for (const { txid, vin, vout, confirmations } of found ?? []) {
        if (!confirmations) continue;
        for (const input of vin) spent.add(`${input.txid}:${input.vout}`);
        const isMature = vin[0]?.coinbase === undefined || confirmations > parameters.maturity;
        for (const { n, value, scriptPubKey } of isMature ? vout : []) {
          if (scriptPubKey.addresses?.[0] !== address) continue;
          const coin = { txId: txid, index: n, amount: toSatoshi(value) };
          coins.set(claimOf(coin), { ...coin, height: height - confirmations + 1 });
        }
      }
      if ((found ?? []).length < pageSize) break;
    }
    for (const claim of spent) coins.delete(claim);
    return { head, height, coins: [...coins.values()] };
  }

  /**
   * @param {readonly Coin[]} coins
   * @returns {Promise<Coin[]>}
   */
  async #unspentInMempool(coins) {
    if (coins.length === 0) return [];
    const outputs = coins.map(({ txId, index }) => ({ txid: txId, vout: index }));
    const answers = await this.#nodes.ask('gettxspendingprevout', outputs).catch(noneIf('unknown method'));
    if (answers !== null) return coins.filter((_, at) => answers[at]?.spendingtxid === undefined);
    // Nodes before Bitcoin Core 24, such as Litecoin Core 0.21, do not have the method.
    const unspent = await Promise.all(
      coins.map(({ txId, index }) => this.#nodes.ask('gettxout', txId, index, true)),
    );
    return coins.filter((_, at) => unspent[at] !== null);
  }

  /**
   * Outputs of an unconfirmed transaction to its own wallet, unless nodes would refuse to extend its chain.
   * @param {string} txId
   * @param {string} script
   * @returns {Promise<Coin[]>}
   */
  async #unconfirmedChange(txId, script) {
    const found = await this.find(txId);
    if (found === null || found.blockhash !== undefined) return [];
    const entry = await this.#nodes.ask('getmempoolentry', txId).catch(noneIf('unknown method', -5));
    if (entry?.ancestorcount >= longestChain) return [];
    return found.vout.flatMap((/** @type {any} */ { n, value, scriptPubKey }) =>
      scriptPubKey.hex === script ? [{ txId, index: n, amount: toSatoshi(value) }] : [],
    );
  }
}

/**
 * Chooses as many of the coins, in their order, as the amount and the fee require, in addition to the chosen ones.
 * @param {readonly Coin[]} coins
 * @param {{ amount: bigint, feeRate: bigint, scripts: readonly string[], chosen?: readonly Coin[], leastFee?: bigint }} target
 * @returns {{ coins: Coin[], fee: bigint, change: bigint } | undefined} undefined if the coins are not enough
 */
export function select(coins, { amount, feeRate, scripts, chosen = [], leastFee = 0n }) {
  const [, change = ''] = scripts;
  const selected = [...chosen];
  const rest = coins.filter((coin) => !selected.some((one) => claimOf(one) === claimOf(coin)));
  for (;;) {
    const sum = selected.reduce((total, coin) => total + coin.amount, 0n);
    const fee = max(feeRate * sizeOf(selected.length, scripts), leastFee);
    const left = sum - amount - fee;
    if (selected.length > 0 && left >= dustLimit(change)) return { coins: selected, fee, change: left };
    // Tries a transaction without a change output, because the change would be dust.
    const least = max(feeRate * sizeOf(selected.length, scripts.slice(0, 1)), leastFee);
    if (selected.length > 0 && sum - amount >= least) {
      return { coins: selected, fee: sum - amount, change: 0n };
    }
    const next = rest.shift();
    if (next === undefined || selected.length === mostInputs) return undefined;
    selected.push(next);
  }
}

/**
 * The largest of several values.
 * @param {bigint} first
 * @param {bigint[]} others
 */
export function max(first, ...others) {
  let most = first;
  for (const value of others) if (value > most) most = value;
  return most;
}

/**
 * Ids of transactions that share a claim with another one, which may be executed instead of them.
 * @param {readonly ClaimingTransaction[]} all
 */
function withSharedClaims(all) {
  /** @type {Map<string, number>} */
  const holders = new Map();
  for (const claim of all.flatMap(({ claims }) => claims)) holders.set(claim, (holders.get(claim) ?? 0) + 1);
  const shared = all.filter(({ claims }) => claims.some((claim) => (holders.get(claim) ?? 0) > 1));
  return new Set(shared.map(({ txId }) => txId));
}
