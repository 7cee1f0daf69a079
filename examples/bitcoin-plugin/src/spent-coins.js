// @ts-check

/**
 * The coins that a block spends. `spenders` maps each of them to the id of the transaction that spends it.
 * @typedef {{ height: number, hash: string, previous: string, spenders: Map<string, string> }} SpendingBlock
 */

/**
 * Maximum number of cached blocks, and of spent coins in all of them. 100,000 coins are about 14 full blocks of
 * Bitcoin.
 */
const [mostBlocks, mostCoins] = [2_016, 100_000];

/** Caches the coins that recently read blocks spend, by block hash. Entries stay valid after a reorg, because it does not change blocks. */
export class SpentCoins {
  /** In the order in which they were read. @type {Map<string, SpendingBlock>} */
  #blocks = new Map();
  #coins = 0;

  /** @param {string} hash */
  get(hash) {
    return this.#blocks.get(hash);
  }

  /**
   * @param {any} block a block with its transactions, as nodes return it
   * @returns {SpendingBlock}
   */
  add({ height, hash, previousblockhash: previous = '', tx }) {
    const known = this.#blocks.get(hash);
    if (known !== undefined) return known;
    /** @type {Map<string, string>} */
    const spenders = new Map();
    for (const { txid: by, vin } of tx) for (const { txid, vout } of vin) spenders.set(`${txid}:${vout}`, by);
    const block = { height, hash, previous, spenders };
    this.#blocks.set(hash, block);
    this.#coins += spenders.size;
    for (const [first, { spenders: oldest }] of this.#blocks) {
      if (this.#blocks.size <= mostBlocks && this.#coins <= mostCoins) break;
      this.#blocks.delete(first);
      this.#coins -= oldest.size;
    }
    return block;
  }
}
