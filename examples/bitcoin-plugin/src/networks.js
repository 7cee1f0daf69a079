// @ts-check

/** Values in which Bitcoin differs from other ledgers with the same transactions. Amounts are in satoshi. */
export const coin = {
  technology: 'bitcoin',
  title: 'Bitcoin',
  symbol: 'BTC',
  /** An address of the main network, shown as an example. */
  address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  /** Maximum amount that can ever exist. */
  supply: 21_000_000n * 10n ** 8n,
  /** Satoshi per byte: an output below the fee to create and spend it at this rate is dust. Bitcoin Core's -dustrelayfee. */
  dustRate: 3n,
  /** The lowest fee that nodes relay, in satoshi per virtual byte. Bitcoin Core's -minrelaytxfee. */
  relayRate: 1n,
  /** Satoshi per virtual byte that a replacement adds to the replaced fee. Bitcoin Core's -incrementalrelayfee. */
  increment: 1n,
  /** Default fee rates in satoshi per virtual byte: the rate if the node has no estimate, and the maximum rate. */
  rates: { fallback: 2, highest: 500 },
  /** Default depth at which a transaction is final: an hour of Bitcoin's blocks. */
  confirmations: 6,
  /** Number of blocks after which a mined reward can be spent. */
  maturity: 100,
  /**
   * Number of blocks after which no reorg is expected to remove a transaction: more than half a day of Bitcoin's
   * blocks.
   */
  deepest: 100,
};

/**
 * Parameters of a network. For another ledger, replace them.
 *
 * @typedef {object} Network
 * @property {string} genesis hash of the first block
 * @property {string} bech32 prefix of SegWit addresses
 * @property {number} pubKeyHash version byte of P2PKH addresses
 * @property {number} scriptHash version byte of P2SH addresses
 * @property {number} wif unused; a member of the type of `@scure/btc-signer`
 */

/** @type {Readonly<Record<string, Network>>} */
export const networks = {
  mainnet: {
    genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    bech32: 'bc',
    pubKeyHash: 0x00,
    scriptHash: 0x05,
    wif: 0x80,
  },
  testnet: {
    genesis: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
    bech32: 'tb',
    pubKeyHash: 0x6f,
    scriptHash: 0xc4,
    wif: 0xef,
  },
  regtest: {
    genesis: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    bech32: 'bcrt',
    pubKeyHash: 0x6f,
    scriptHash: 0xc4,
    wif: 0xef,
  },
  // A network of btcd.
  simnet: {
    genesis: '683e86bd5c6d110d91b94b97137ba6bfe02dbbdb8e3dff722a669b5d69d77af6',
    bech32: 'sb',
    pubKeyHash: 0x3f,
    scriptHash: 0x7b,
    wif: 0x64,
  },
};
