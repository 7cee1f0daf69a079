import type { AdapterProblem, ChainIdentity, Head } from '@ledger-ops/adapter';
import { toHex } from './address.ts';
import { type Block, type ChainRules, createChain, type MinedTransaction } from './chain.ts';
import { createMisbehaviours, type Misbehaviour, type Script } from './misbehaviour.ts';
import type { LedgerState } from './state.ts';
import {
  addressOfPrivateKey,
  decodeTransaction,
  encodeTransaction,
  gasPerTransaction,
  type MemoryKeyType,
  type MemoryTransaction,
  signDigest,
  signingDigest,
  type TransactionBody,
  transactionId,
} from './transaction.ts';

/** Options of a memory ledger. All have defaults. */
export interface MemoryLedgerOptions {
  /** Default 31337. */
  chainId?: bigint;
  /**
   * Whether the ledger mines a block soon after a transaction arrives, without timers. It never mines empty
   * blocks, so call `mine` to add depth. Default true.
   */
  autoMine?: boolean;
  /** Price per unit of gas, default 10. A transaction uses 21,000 gas. */
  gasPrice?: bigint;
  /** Maximum number of transactions in a block. Default 1,000. */
  blockSize?: number;
  /** Whether transactions have sequences. Default `account`. */
  sequence?: 'account' | 'none';
  /** Successive signatures that a transaction needs. Default 1. */
  signingRounds?: 1 | 2;
  /** Key type of the accounts. Default `secp256k1`. */
  keyType?: MemoryKeyType;
  /** Successive transactions that a deployment needs. Only without sequences. Default 1. */
  deploySteps?: number;
  /**
   * Whether the ledger assigns its own id to submitted bytes, and knows their transactions only by that id.
   * Only without sequences. Default false.
   */
  ownIds?: boolean;
  /** Number of blocks for which a prepared transaction is valid. Only without sequences. Default: unlimited. */
  expiry?: number;
  /** Initial native balances by address. */
  balances?: Readonly<Record<string, bigint>>;
}

export interface SubmitAnswer {
  status: 'accepted' | 'known' | 'refused';
  txId: string;
  problem?: AdapterProblem;
}

/** Submitted bytes, and the ledger's response at that time. */
export interface SubmissionRecord extends SubmitAnswer {
  /** Absent if the bytes were not a valid transaction. */
  transaction?: MemoryTransaction;
  /** Whether the caller declared that these bytes had never been submitted. */
  first?: boolean;
}

/** Filter for executions. All given members must match. */
export interface ExecutionFilter {
  txId?: string;
  from?: string;
  to?: string;
  value?: bigint;
  /** A string in the decoded data: a method's signature or an argument. */
  data?: string;
  status?: 'succeeded' | 'failed';
}

/** A transaction signed outside the host. */
export interface OutsideTransaction {
  privateKey: Uint8Array;
  /** Default: the account's next sequence. */
  sequence?: bigint;
  /** Default: the account itself. */
  recipient?: string;
  /** Default 0. */
  amount?: bigint;
  /** Default: the ledger's price. */
  gasPrice?: bigint;
}

/** Creates a ledger. It holds no resources and needs no closing. */
export function createMemoryLedger(options: MemoryLedgerOptions = {}): MemoryLedger {
  return new MemoryLedger(options);
}

/**
 * A ledger in the current process: accounts, contracts, blocks and a pool of waiting transactions, with account
 * sequences. It exists longer than the sessions that adapters open on it, and tests can inspect all of it.
 */
export class MemoryLedger {
  /**
   * Returns the reason if a transaction can never be mined, otherwise undefined. The pool still accepts such a
   * transaction, and the next block drops it. Undefined if there is no such rule.
   */
  rule: ((transaction: MemoryTransaction) => string | undefined) | undefined;
  /** Maximum gas of a transaction in a block. Transactions above it wait in the pool. Undefined if there is no limit. */
  blockGas: bigint | undefined;
  /** The nodes that do not respond, as in `ChainIdentity.unsure`; undefined if all respond. */
  unsure: string | undefined;
  /** Scripted faults of the adapter. Each is removed when it occurs. */
  readonly misbehaviours = createMisbehaviours();
  /** All submissions ever made, across reorgs and resets. */
  readonly submissions: SubmissionRecord[] = [];
  /** Open sessions. */
  readonly sessions = new Set<object>();
  readonly expiry: number | undefined;
  readonly ownIds: boolean;
  readonly deploySteps: number;
  readonly keyType: MemoryKeyType;
  readonly signingRounds: 1 | 2;
  readonly sequence: 'account' | 'none';
  readonly chainId: bigint;
  readonly #listeners = new Set<(head: Head) => void>();
  readonly #endowments = new Map<string, bigint>();
  readonly #rules: ChainRules;
  #resets = 0;
  #chain;
  #isDown = false;
  #scheduled = false;
  #gasPrice: bigint;
  #autoMine: boolean;

  constructor(options: MemoryLedgerOptions = {}) {
    const { chainId = 31_337n, sequence = 'account', signingRounds = 1, blockSize = 1_000 } = options;
    this.chainId = chainId;
    this.sequence = sequence;
    this.signingRounds = signingRounds;
    const { keyType = 'secp256k1' } = options;
    this.keyType = keyType;
    this.#rules = {
      blockSize,
      takeInvalid: () => this.misbehaviours.take('invalidate') !== undefined,
      fits: ({ gas }) => this.blockGas === undefined || gas <= this.blockGas,
      isBarred: (transaction) => this.rule?.(transaction) !== undefined,
    };
    this.#chain = createChain(`${this.chainId}/${this.#resets}`, this.#rules);
    this.#gasPrice = options.gasPrice ?? 10n;
    this.#autoMine = options.autoMine ?? true;
    for (const [address, amount] of Object.entries(options.balances ?? {})) this.fund(address, amount);
    this.deploySteps = this.sequence === 'none' ? (options.deploySteps ?? 1) : 1;
    this.ownIds = this.sequence === 'none' && options.ownIds === true;
    this.expiry = this.sequence === 'none' ? options.expiry : undefined;
    this.unsure = undefined;
    this.blockGas = undefined;
    this.rule = undefined;
  }

  get gasPrice(): bigint {
    return this.#gasPrice;
  }

  set gasPrice(price: bigint) {
    this.#gasPrice = price;
    this.#scheduleMining();
  }

  get autoMine(): boolean {
    return this.#autoMine;
  }

  set autoMine(on: boolean) {
    this.#autoMine = on;
    this.#scheduleMining();
  }

  /** The genesis changes with each reset. */
  get identity(): ChainIdentity {
    return { id: `memory:${this.chainId}`, genesis: this.#chain.blocks[0]?.hash ?? '' };
  }

  get head(): Head {
    return headOf(this.#chain.head());
  }

  /** The blocks of the current chain, genesis first. */
  get blocks(): readonly Block[] {
    return this.#chain.blocks;
  }

  /** All transactions in these blocks, in order. */
  get transactions(): readonly MinedTransaction[] {
    return this.#chain.blocks.flatMap((block) => block.transactions);
  }

  /** Transactions that wait for a block. */
  get pool(): readonly MemoryTransaction[] {
    return this.#chain.pool.transactions;
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** Balances, sequences and storage at any height. */
  get state(): LedgerState {
    return this.#chain.state;
  }

  /** Adds to or subtracts from an account's native balance. The change survives reorgs and resets. */
  fund(address: string, amount: bigint): void {
    const account = address.toLowerCase();
    this.#endowments.set(account, (this.#endowments.get(account) ?? 0n) + amount);
    this.#chain.state.endow(account, amount);
  }

  balanceOf(address: string): bigint {
    return this.#chain.state.balanceAt(address.toLowerCase());
  }

  nonceOf(address: string): bigint {
    return this.#chain.state.nonceAt(address.toLowerCase());
  }

  /** Returns the number of mined transactions that match. */
  executions(filter = {}): number {
    return this.transactions.filter((one) => fits(one, filter)).length;
  }

  transaction(txId: string): MinedTransaction | undefined {
    return this.#chain.mined(txId);
  }

  submit(bytes: Uint8Array, first = false): SubmitAnswer {
    const record = this.#judge(bytes);
    this.submissions.push({ ...record, first });
    if (record.status === 'accepted') this.#scheduleMining();
    const { transaction: _, ...answer } = record;
    return answer;
  }

  /** Mines blocks, even empty ones, and returns the new head. */
  mine(blocks = 1): Head {
    for (let made = 0; made < blocks; made += 1) this.#chain.mine(this.#gasPrice);
    this.#announce();
    return this.head;
  }

  /** Drops the last blocks. Their transactions return to the pool (default) or vanish. */
  reorganise(depth: number, transactions = 'return'): Head {
    const dropped = this.#chain.drop(depth);
    const waiting = this.#chain.pool.transactions;
    this.#chain.pool.clear();
    for (const one of transactions === 'return' ? [...dropped, ...waiting] : waiting)
      this.#chain.pool.add(one);
    this.#announce();
    this.#scheduleMining();
    return this.head;
  }

  /** Empties the pool, like a node that restarts without it. */
  forgetPool(): void {
    this.#chain.pool.clear();
  }

  goDown(): void {
    this.#isDown = true;
  }

  comeUp(): void {
    this.#isDown = false;
    this.#announce();
  }

  /** Starts a new chain with another genesis. Only funded balances remain. */
  reset(): void {
    this.#resets += 1;
    this.#chain = createChain(`${this.chainId}/${this.#resets}`, this.#rules);
    for (const [address, amount] of this.#endowments) this.#chain.state.endow(address, amount);
    this.#announce();
  }

  script(misbehaviour: Misbehaviour): Script {
    return this.misbehaviours.add(misbehaviour);
  }

  outsideTransaction(outside: OutsideTransaction): SubmitAnswer {
    const from = addressOfPrivateKey(this.keyType, outside.privateKey);
    const body: TransactionBody = {
      chainId: this.chainId,
      from,
      sequence: this.sequence === 'none' ? null : (outside.sequence ?? this.#chain.state.nonceAt(from)),
      to: outside.recipient?.toLowerCase() ?? from,
      value: outside.amount ?? 0n,
      data: '0x',
      gas: gasPerTransaction,
      gasPrice: outside.gasPrice ?? this.#gasPrice,
      salt: `outside ${this.submissions.length}`,
      validUntil: null,
    };
    const signatures: string[] = [];
    while (signatures.length < this.signingRounds) {
      signatures.push(toHex(signDigest(this.keyType, outside.privateKey, signingDigest(body, signatures))));
    }
    return this.submit(encodeTransaction(body, signatures));
  }

  /** Calls the listener after each change of the head. Returns a function that unsubscribes. */
  onHead(listener: (head: Head) => void): () => void {
    const own = (head: Head) => listener(head);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** For adapters: registers a session. Returns a function that unregisters the session. */
  enter(session: object): () => void {
    this.sessions.add(session);
    return () => this.sessions.delete(session);
  }

  #announce() {
    const head = headOf(this.#chain.head());
    for (const listener of this.#listeners) {
      queueMicrotask(() => {
        if (!this.#isDown && this.#listeners.has(listener)) listener(head);
      });
    }
  }

  #mineWaiting() {
    this.#scheduled = false;
    while (this.#autoMine && this.#chain.hasWork(this.#gasPrice)) this.mine();
  }

  #scheduleMining() {
    if (this.#scheduled || !this.#autoMine) return;
    this.#scheduled = true;
    setImmediate(() => this.#mineWaiting());
  }

  #judge(bytes: Uint8Array): SubmissionRecord {
    const known =
      this.#chain.pool.get(transactionId(bytes)) ?? this.#chain.mined(transactionId(bytes))?.transaction;
    if (known !== undefined) return { status: 'known', txId: known.txId, transaction: known };
    const decoded = decodeTransaction(bytes, this.signingRounds);
    if (typeof decoded === 'string') {
      const problem: AdapterProblem = { code: 'refused', phase: 'submit', detail: `Refused: ${decoded}.` };
      return { status: 'refused', txId: '', problem };
    }
    const { txId } = decoded;
    const answer = { txId, transaction: decoded };
    const refuse = (code: 'refused' | 'wrong-chain', detail: string): SubmissionRecord => ({
      ...answer,
      status: 'refused',
      problem: { code, phase: 'submit', txId, detail },
    });
    if (decoded.chainId !== this.chainId) {
      return refuse(
        'wrong-chain',
        `The transaction is for chain ${decoded.chainId}, but this is chain ${this.chainId}.`,
      );
    }
    if ((decoded.sequence === null) !== (this.sequence === 'none')) {
      return refuse(
        'refused',
        `This ledger's transactions have ${this.sequence === 'none' ? 'no' : 'a'} sequence.`,
      );
    }
    const { validUntil } = decoded;
    if (validUntil !== null && validUntil <= this.#chain.head().height) {
      return refuse('refused', `The transaction was valid until block ${validUntil} and has expired.`);
    }
    const problem = this.#chain.pool.add(decoded);
    return problem === undefined
      ? { ...answer, status: 'accepted' }
      : { ...answer, status: 'refused', problem };
  }
}

const headOf = ({ height, hash }: Block): Head => ({ height, hash });

function fits({ transaction, execution }: MinedTransaction, filter: ExecutionFilter): boolean {
  const { txId, from, to, value, data, status } = filter;
  return (
    (txId === undefined || transaction.txId === txId) &&
    (from === undefined || transaction.from === from.toLowerCase()) &&
    (to === undefined || transaction.to === to.toLowerCase()) &&
    (value === undefined || transaction.value === value) &&
    (status === undefined ? execution.status !== 'invalid' : execution.status === status) &&
    (data === undefined ||
      Buffer.from(transaction.data.slice(2), 'hex')
        .toString('utf8')
        .includes(JSON.stringify(data).slice(1, -1)))
  );
}
