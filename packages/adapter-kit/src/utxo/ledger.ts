import { type Refusal, UtxoPool, type Waiting } from './pool.ts';
import {
  type Coin,
  coinId,
  createFunding,
  decodeUtxoTransaction,
  displayedHash,
  dustLimit,
  hasValidSignatures,
  regtest,
  scriptOfAddress,
  signSpending,
  type UtxoNetwork,
  type UtxoTransaction,
} from './transaction.ts';

/** Options of a UTXO ledger. All have the defaults of Bitcoin's regtest. */
export interface UtxoLedgerOptions {
  network?: UtxoNetwork;
  /** Hash of the first block. */
  genesis?: string;
  /** Maximum number of transactions in a block. Default 1,000. */
  blockSize?: number;
}

/** A block of the current chain. `time` is in seconds since the epoch. */
export interface UtxoBlock {
  height: number;
  hash: string;
  previous: string;
  time: number;
  transactions: readonly UtxoTransaction[];
}

/** Submitted bytes, and the ledger's response at that time. */
export interface UtxoSubmission {
  status: 'accepted' | 'known' | 'refused';
  /** Absent, like `transaction`, if the bytes were not a transaction. */
  txId?: string;
  transaction?: UtxoTransaction;
  refusal?: Refusal;
}

/** A transaction signed outside the host, with the key that owns the coins. */
export interface OutsideSpending {
  privateKey: Uint8Array;
  /** Ids of coins. */
  coins: readonly string[];
  recipient: string;
  /** In satoshi. Default 10,000. */
  fee?: bigint;
}

/** A block with the data that is needed to undo it. */
interface Mined extends UtxoBlock {
  spent: readonly Coin[];
}

const regtestGenesis = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
/** Seconds since the epoch of the first block, and between blocks. */
const [firstTime, blockTime] = [1_296_688_602, 600];
/** Minimum fee for relaying a transaction, in satoshi per virtual byte. */
const relayFee = 1n;
/** Maximum number of satoshi that exist. */
const mostSatoshi = 21_000_000n * 10n ** 8n;

/** Creates a ledger. It holds no resources and needs no closing. */
export function createUtxoLedger(options: UtxoLedgerOptions = {}): UtxoLedger {
  return new UtxoLedger(options);
}

/**
 * A ledger of unspent transaction outputs in the current process: blocks, coins and a mempool with the rules
 * of Bitcoin Core, including replacement by fee (BIP 125). Blocks are created only on request. It exists
 * longer than the sessions that adapters open on it, and tests can inspect all of it.
 */
export class UtxoLedger {
  readonly network: UtxoNetwork;
  /**
   * Satoshi per virtual byte that miners require now. Transactions that pay less wait. Fee estimates return
   * this value, or no estimate if it is 0.
   */
  feeRate = 2n;
  /** All submissions ever made, across reorgs. */
  readonly submissions: UtxoSubmission[] = [];
  readonly #pool = new UtxoPool();
  readonly #coins = new Map<string, Coin>();
  /** Ids of unspent coins by script. */
  readonly #byScript = new Map<string, Set<string>>();
  readonly #blocks: Mined[] = [];
  readonly #heights = new Map<string, number>();
  readonly #spenders = new Map<string, string>();
  /** Transactions that the next block will contain regardless of their fees. */
  readonly #next: UtxoTransaction[] = [];
  readonly #blockSize: number;
  #feeFloor = relayFee;
  #serial = 0;

  constructor({ network = regtest, genesis = regtestGenesis, blockSize = 1_000 }: UtxoLedgerOptions = {}) {
    this.network = network;
    this.#blockSize = blockSize;
    this.#append({ hash: genesis, previous: '', transactions: [] });
  }

  /** Minimum fee of the mempool, in satoshi per virtual byte. */
  get feeFloor(): bigint {
    return this.#feeFloor;
  }

  /** Raising this value evicts transactions from the mempool. */
  set feeFloor(rate: bigint) {
    this.#feeFloor = rate < relayFee ? relayFee : rate;
    for (const { transaction, fee } of this.#pool.entries) {
      if (fee < this.#feeFloor * BigInt(transaction.vsize)) this.#pool.evict(transaction.txId);
    }
  }

  /** The blocks of the current chain, genesis first. */
  get blocks(): readonly UtxoBlock[] {
    return this.#blocks;
  }

  get head(): UtxoBlock {
    const head = this.#blocks.at(-1);
    if (head === undefined) throw new RangeError('The ledger has no blocks yet.');
    return head;
  }

  /** All transactions of these blocks, in order. */
  get transactions(): readonly UtxoTransaction[] {
    return this.#blocks.flatMap(({ transactions }) => transactions);
  }

  /** Transactions that wait for a block. */
  get pool(): readonly Waiting[] {
    return this.#pool.entries;
  }

  /**
   * Returns the numbers of unconfirmed ancestors and descendants of a transaction, each including itself, and the
   * sum of the descendants' fees.
   */
  relativesOf(txId: string): { ancestors: number; descendants: number; descendantFees: bigint } | undefined {
    const entry = this.#pool.get(txId);
    if (entry === undefined) return undefined;
    const descendants = this.#pool.descendantsOf(txId);
    const descendantFees = descendants.reduce((sum, one) => sum + (this.#pool.get(one)?.fee ?? 0n), 0n);
    const ancestors = this.#pool.ancestorCountOf(entry.transaction);
    return { ancestors, descendants: descendants.length, descendantFees };
  }

  /** Returns a transaction of the chain with its block, or of the mempool. */
  transaction(txId: string): { transaction: UtxoTransaction; block?: UtxoBlock } | undefined {
    const block = this.#blocks[this.#heights.get(txId) ?? -1];
    const transaction = block?.transactions.find((one) => one.txId === txId);
    if (block !== undefined && transaction !== undefined) return { transaction, block };
    const waiting = this.#pool.get(txId)?.transaction;
    return waiting === undefined ? undefined : { transaction: waiting };
  }

  /** Returns an unspent coin of the chain. */
  coin(id: string): Coin | undefined {
    return this.#coins.get(id);
  }

  /** Returns an unspent coin of the chain or of the mempool that no waiting transaction spends. */
  freeCoin(id: string): Coin | undefined {
    return this.#pool.spenderOf(id) === undefined ? this.#available(id) : undefined;
  }

  /** Unspent coins of an address in the chain. */
  coinsOf(address: string): Coin[] {
    const ids = this.#byScript.get(scriptOfAddress(address, this.network)) ?? [];
    return [...ids].flatMap((id) => this.#coins.get(id) ?? []);
  }

  balanceOf(address: string): bigint {
    return this.coinsOf(address).reduce((sum, { amount }) => sum + amount, 0n);
  }

  /** Returns the id of the transaction that spends a coin, in the chain or else in the mempool. */
  spenderOf(coin: string): string | undefined {
    return this.#spenders.get(coin) ?? this.#pool.spenderOf(coin);
  }

  /** Creates a coin in the next block. Returns its id. Reorgs keep it. */
  fund(address: string, amount: bigint): string {
    this.#serial += 1;
    const script = scriptOfAddress(address, this.network);
    const transaction = createFunding(this.#serial, { amount, script, address });
    this.#next.push(transaction);
    return coinId(transaction.txId, 0);
  }

  submit(bytes: Uint8Array): UtxoSubmission {
    const transaction = decodeUtxoTransaction(bytes, this.network);
    const answer = this.#judge(transaction);
    const submission =
      transaction === undefined ? answer : { ...answer, txId: transaction.txId, transaction };
    this.submissions.push(submission);
    return submission;
  }

  /** Signs a transaction of the coins' owner outside the host. Pass its bytes to `submit` or `include`. */
  signOutside({ privateKey, coins: ids, recipient, fee = 10_000n }: OutsideSpending): UtxoTransaction {
    const coins = ids.map((id) => this.#required(id));
    const sum = coins.reduce((total, { amount }) => total + amount, 0n);
    const script = scriptOfAddress(recipient, this.network);
    return signSpending(privateKey, coins, [{ amount: sum - fee, script }], this.network);
  }

  /**
   * Makes the next block contain these transactions in this order, regardless of the mempool's order.
   *
   * @throws RangeError if bytes are not a transaction
   */
  include(...all: Uint8Array[]): void {
    for (const bytes of all) {
      const transaction = decodeUtxoTransaction(bytes, this.network);
      if (transaction === undefined) throw new RangeError('The bytes are not a transaction.');
      this.#next.push(transaction);
    }
  }

  /** Creates blocks, even empty ones, and returns the new head. */
  mine(blocks = 1): UtxoBlock {
    for (let made = 0; made < blocks; made += 1) {
      this.#serial += 1;
      const previous = this.head.hash;
      const hash = displayedHash(new TextEncoder().encode(`${previous} ${this.#serial}`));
      this.#append({ hash, previous, transactions: [] });
    }
    return this.head;
  }

  /**
   * Drops the last blocks. Their transactions return to the mempool or vanish; coins that `fund` created always return.
   * The chain stays shorter until `mine` is called.
   */
  reorganise(depth: number, transactions: 'return' | 'vanish' = 'return'): UtxoBlock {
    const dropped: UtxoTransaction[] = [];
    for (let taken = 0; taken < depth && this.#blocks.length > 1; taken += 1)
      dropped.unshift(...this.#undo());
    const waiting = this.#pool.entries.map(({ transaction }) => transaction);
    this.#pool.clear();
    this.#next.unshift(...dropped.filter(({ inputs }) => inputs.length === 0));
    const returning = dropped.filter(({ inputs }) => inputs.length > 0);
    for (const one of [...(transactions === 'return' ? returning : []), ...waiting]) this.#putBack(one);
    return this.head;
  }

  /** Empties the mempool, like a node that restarts without it. */
  forgetPool(): void {
    this.#pool.clear();
  }

  /** Removes one transaction and its descendants from the mempool. */
  drop(txId: string): void {
    this.#pool.evict(txId);
  }

  #append(made: Pick<UtxoBlock, 'hash' | 'previous' | 'transactions'>): void {
    const height = this.#blocks.length;
    const spent: Coin[] = [];
    const transactions: UtxoTransaction[] = [];
    const confirm = (transaction: UtxoTransaction) => {
      spent.push(...this.#confirm(transaction, height));
      transactions.push(transaction);
    };
    for (const transaction of this.#next.splice(0)) {
      if (this.#isConfirmable(transaction)) confirm(transaction);
    }
    for (const transaction of this.#selected()) confirm(transaction);
    this.#blocks.push({ ...made, height, time: firstTime + height * blockTime, transactions, spent });
  }

  /**
   * Returns the transactions of the mempool for a block: the highest fee rates first, but parents before
   * children.
   */
  #selected(): UtxoTransaction[] {
    const chosen = new Map<string, UtxoTransaction>();
    const rateOf = ({ fee, transaction }: Waiting) => Number(fee) / transaction.vsize;
    const open = this.#pool.entries
      .filter(({ fee, transaction }) => fee >= this.feeRate * BigInt(transaction.vsize))
      .toSorted((first, second) => rateOf(second) - rateOf(first));
    const isReady = ({ inputs }: UtxoTransaction) =>
      inputs.every(({ coin }) => this.#coins.has(coin) || chosen.has(coin.split(':')[0] ?? ''));
    for (let before = -1; before < chosen.size; ) {
      before = chosen.size;
      for (const { transaction } of open) {
        if (chosen.size >= this.#blockSize) return [...chosen.values()];
        if (!chosen.has(transaction.txId) && isReady(transaction)) chosen.set(transaction.txId, transaction);
      }
    }
    return [...chosen.values()];
  }

  #isConfirmable(transaction: UtxoTransaction): boolean {
    return (
      !this.#heights.has(transaction.txId) && transaction.inputs.every(({ coin }) => this.#coins.has(coin))
    );
  }

  #confirm(transaction: UtxoTransaction, height: number): Coin[] {
    const { txId, inputs, outputs } = transaction;
    const spent = inputs.map(({ coin }) => this.#required(coin));
    for (const { id, script } of spent) {
      this.#coins.delete(id);
      this.#byScript.get(script)?.delete(id);
      this.#spenders.set(id, txId);
    }
    for (const [index, output] of outputs.entries()) {
      this.#addCoin({ id: coinId(txId, index), txId, index, ...output, height });
    }
    this.#heights.set(txId, height);
    this.#pool.confirm(transaction);
    return spent;
  }

  #undo(): readonly UtxoTransaction[] {
    const block = this.#blocks.pop();
    const transactions = block?.transactions ?? [];
    for (const { txId, outputs } of transactions) {
      this.#heights.delete(txId);
      for (const index of outputs.keys()) this.#removeCoin(coinId(txId, index));
    }
    const created = new Set(transactions.map(({ txId }) => txId));
    for (const coin of block?.spent ?? []) {
      this.#spenders.delete(coin.id);
      if (!created.has(coin.txId)) this.#addCoin(coin);
    }
    return transactions;
  }

  /** Returns a transaction to the mempool if its coins exist and are unspent. */
  #putBack(transaction: UtxoTransaction): void {
    const coins = transaction.inputs.map(({ coin }) => this.freeCoin(coin));
    if (this.#heights.has(transaction.txId) || coins.includes(undefined)) return;
    this.#pool.put({ transaction, fee: feeOf(transaction, coins) });
  }

  #addCoin(coin: Coin): void {
    this.#coins.set(coin.id, coin);
    const ids = this.#byScript.get(coin.script) ?? new Set();
    this.#byScript.set(coin.script, ids.add(coin.id));
  }

  #removeCoin(id: string): void {
    this.#byScript.get(this.#coins.get(id)?.script ?? '')?.delete(id);
    this.#coins.delete(id);
  }

  #available(id: string): Coin | undefined {
    return this.#coins.get(id) ?? this.#pool.coin(id);
  }

  #required(id: string): Coin {
    const coin = this.#available(id);
    if (coin === undefined) throw new RangeError(`The ledger has no unspent coin ${id}.`);
    return coin;
  }

  #judge(transaction: UtxoTransaction | undefined): UtxoSubmission {
    if (transaction === undefined) return refused('TX decode failed', -22);
    if (this.#pool.get(transaction.txId) !== undefined) return { status: 'known' };
    if (this.#heights.has(transaction.txId)) return refused('Transaction outputs already in utxo set', -27);
    const coins = transaction.inputs.map(({ coin }) => this.#available(coin));
    const found = coins.filter((coin) => coin !== undefined);
    if (coins.length === 0 || found.length < coins.length)
      return refused('bad-txns-inputs-missingorspent', -25);
    const fee = feeOf(transaction, coins);
    if (new Set(transaction.inputs.map(({ coin }) => coin)).size < coins.length)
      return refused('bad-txns-inputs-duplicate');
    if (transaction.outputs.some(({ amount }) => amount > mostSatoshi))
      return refused('bad-txns-vout-toolarge');
    if (fee < 0n) return refused('bad-txns-in-belowout');
    if (transaction.outputs.some(({ amount, script }) => amount < dustLimit(script))) return refused('dust');
    if (fee < this.#feeFloor * BigInt(transaction.vsize)) {
      return refused(this.#feeFloor === relayFee ? 'min relay fee not met' : 'mempool min fee not met');
    }
    if (!hasValidSignatures(transaction, found))
      return refused('mandatory-script-verify-flag-failed (Signature must be valid)');
    const refusal = this.#pool.add({ transaction, fee });
    return refusal === undefined ? { status: 'accepted' } : { status: 'refused', refusal };
  }
}

const refused = (message: string, code = -26): UtxoSubmission => ({
  status: 'refused',
  refusal: { code, message },
});

function feeOf({ outputs }: UtxoTransaction, coins: readonly (Coin | undefined)[]): bigint {
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  return sum(coins.map((coin) => coin?.amount ?? 0n)) - sum(outputs.map(({ amount }) => amount));
}
