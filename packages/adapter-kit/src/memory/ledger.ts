import type { AdapterProblem, ChainIdentity, Head } from '@ledger-ops/adapter';
import { toHex } from './address.ts';
import { type Block, type ChainRules, createChain, type MinedTransaction } from './chain.ts';
import { createMisbehaviours, type Misbehaviour, type Misbehaviours, type Script } from './misbehaviour.ts';
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

/** How a memory ledger behaves; each has a default. */
export interface MemoryLedgerOptions {
  /** Default 31337. */
  chainId?: bigint;
  /** Makes a block soon after a transaction came (no timers), and none otherwise: depth needs `mine`. Default true. */
  autoMine?: boolean;
  /** Default 10. A transaction costs 21,000 gas. */
  gasPrice?: bigint;
  /** Most transactions in a block. Default 1,000. */
  blockSize?: number;
  /** Whether transactions carry sequences. Default `account`. */
  sequence?: 'account' | 'none';
  /** Signatures that a transaction needs, one after the other. Default 1. */
  signingRounds?: 1 | 2;
  /** Type of its accounts' keys; default `secp256k1`. */
  keyType?: MemoryKeyType;
  /** Transactions that a deployment takes, one after the other. Only without sequences. Default 1. */
  deploySteps?: number;
  /** Answers bytes with an id of its own, and knows their transactions by it alone. Only without sequences. Default false. */
  ownIds?: boolean;
  /** Blocks for which a transaction is valid after it was prepared. Only without sequences. Default: for ever. */
  expiry?: number;
  /** Native balances from the start, by address. */
  balances?: Readonly<Record<string, bigint>>;
}

/** The ledger's answer to submitted bytes. */
export interface SubmitAnswer {
  status: 'accepted' | 'known' | 'refused';
  txId: string;
  problem?: AdapterProblem;
}

/** Bytes that reached the ledger, and what became of them then. */
export interface SubmissionRecord extends SubmitAnswer {
  /** Absent when the bytes were no valid transaction. */
  transaction?: MemoryTransaction;
  /** Whoever submitted it said that it never had before. */
  first?: boolean;
}

/** Which executions are meant; all members given must fit. */
export interface ExecutionFilter {
  txId?: string;
  from?: string;
  to?: string;
  value?: bigint;
  /** Text in the data, decoded: a method's signature, an argument. */
  data?: string;
  status?: 'succeeded' | 'failed';
}

/** A transaction made with a key outside the host. */
export interface OutsideTransaction {
  privateKey: Uint8Array;
  /** Default: the next one of the account. */
  sequence?: bigint;
  /** Default: the account itself. */
  recipient?: string;
  /** Default 0. */
  amount?: bigint;
  /** Default: the ledger's. */
  gasPrice?: bigint;
}

/**
 * A ledger in this process: accounts, contracts, blocks and a pool of waiting transactions, under the
 * rules of accounts that count their transactions. It outlives the sessions that adapters open on it, and shows everything to tests.
 */
export interface MemoryLedger {
  readonly chainId: bigint;
  readonly sequence: 'account' | 'none';
  readonly signingRounds: 1 | 2;
  readonly keyType: MemoryKeyType;
  readonly deploySteps: number;
  readonly ownIds: boolean;
  readonly expiry: number | undefined;
  /** Its genesis changes with each reset. */
  readonly identity: ChainIdentity;
  readonly head: Head;
  /** The blocks of the chain as it is now, genesis first. */
  readonly blocks: readonly Block[];
  /** Every transaction in these blocks, in their order. */
  readonly transactions: readonly MinedTransaction[];
  /** Transactions that wait for a block. */
  readonly pool: readonly MemoryTransaction[];
  /** Everything that was ever submitted, over reorganisations and resets. */
  readonly submissions: readonly SubmissionRecord[];
  readonly isDown: boolean;
  /** Which of its nodes do not answer, in the words of `ChainIdentity.unsure`; undefined: all of them do. */
  unsure: string | undefined;
  /** Sessions that are open. */
  readonly sessions: ReadonlySet<object>;
  /** Balances, sequences and storage at any height. */
  readonly state: LedgerState;
  gasPrice: bigint;
  autoMine: boolean;
  /** The most gas of a transaction that comes into a block; those above it wait in the pool. Undefined: any. */
  blockGas: bigint | undefined;
  /** Why a transaction can never be mined: its pool takes it, and drops it at the next block. Undefined: none is so. */
  rule: ((transaction: MemoryTransaction) => string | undefined) | undefined;
  /** For adapters: the scripts, to be used up as they happen. */
  readonly misbehaviours: Misbehaviours;

  /** Gives native currency to an account, or takes it away; it survives reorganisations and resets. */
  fund(address: string, amount: bigint): void;
  balanceOf(address: string): bigint;
  nonceOf(address: string): bigint;
  /** How many transactions of the chain fit. */
  executions(filter?: ExecutionFilter): number;
  transaction(txId: string): MinedTransaction | undefined;
  submit(bytes: Uint8Array, first?: boolean): SubmitAnswer;
  /** Makes blocks, empty ones too, and returns the new head. */
  mine(blocks?: number): Head;
  /** Drops the last blocks; their transactions wait again (default) or vanish. */
  reorganise(depth: number, transactions?: 'return' | 'vanish'): Head;
  /** Empties the pool, as a node does that lost its memory. */
  forgetPool(): void;
  goDown(): void;
  comeUp(): void;
  /** Starts a new chain with another genesis; only given balances remain. */
  reset(): void;
  script(misbehaviour: Misbehaviour): Script;
  outsideTransaction(transaction: OutsideTransaction): SubmitAnswer;
  /** Calls back after each change of the head; returns the way to stop. */
  onHead(listener: (head: Head) => void): () => void;
  /** For adapters: counts a session. Returns the way to count it out. */
  enter(session: object): () => void;
}

/** Makes a ledger. It holds no resource and needs no closing. */
export function createMemoryLedger(options: MemoryLedgerOptions = {}): MemoryLedger {
  const { chainId = 31_337n, sequence = 'account', signingRounds = 1, blockSize = 1_000 } = options;
  const { keyType = 'secp256k1' } = options;
  const listeners = new Set<(head: Head) => void>();
  const sessions = new Set<object>();
  const submissions: SubmissionRecord[] = [];
  const endowments = new Map<string, bigint>();
  const misbehaviours = createMisbehaviours();
  const rules: ChainRules = {
    blockSize,
    takeInvalid: () => misbehaviours.take('invalidate') !== undefined,
    fits: ({ gas }) => ledger.blockGas === undefined || gas <= ledger.blockGas,
    isBarred: (transaction) => ledger.rule?.(transaction) !== undefined,
  };
  let resets = 0;
  let chain = createChain(`${chainId}/${resets}`, rules);
  let isDown = false;
  let scheduled = false;
  let gasPrice = options.gasPrice ?? 10n;
  let autoMine = options.autoMine ?? true;

  const headOf = ({ height, hash }: Block): Head => ({ height, hash });
  const announce = () => {
    const head = headOf(chain.head());
    for (const listener of listeners) {
      queueMicrotask(() => {
        if (!isDown && listeners.has(listener)) listener(head);
      });
    }
  };
  const mineWaiting = () => {
    scheduled = false;
    while (autoMine && chain.hasWork(gasPrice)) ledger.mine();
  };
  const scheduleMining = () => {
    if (scheduled || !autoMine) return;
    scheduled = true;
    setImmediate(mineWaiting);
  };
  const judge = (bytes: Uint8Array): SubmissionRecord => {
    const known = chain.pool.get(transactionId(bytes)) ?? chain.mined(transactionId(bytes))?.transaction;
    if (known !== undefined) return { status: 'known', txId: known.txId, transaction: known };
    const decoded = decodeTransaction(bytes, signingRounds);
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
    if (decoded.chainId !== chainId) {
      return refuse('wrong-chain', `The transaction is for chain ${decoded.chainId}, this is ${chainId}.`);
    }
    if ((decoded.sequence === null) !== (sequence === 'none')) {
      return refuse(
        'refused',
        `This ledger's transactions have ${sequence === 'none' ? 'no' : 'a'} sequence.`,
      );
    }
    const { validUntil } = decoded;
    if (validUntil !== null && validUntil <= chain.head().height) {
      return refuse('refused', `The transaction was valid until block ${validUntil}, and that has passed.`);
    }
    const problem = chain.pool.add(decoded);
    return problem === undefined
      ? { ...answer, status: 'accepted' }
      : { ...answer, status: 'refused', problem };
  };

  const ledger: MemoryLedger = {
    chainId,
    sequence,
    signingRounds,
    keyType,
    deploySteps: sequence === 'none' ? (options.deploySteps ?? 1) : 1,
    ownIds: sequence === 'none' && options.ownIds === true,
    expiry: sequence === 'none' ? options.expiry : undefined,
    sessions,
    submissions,
    misbehaviours,
    unsure: undefined,
    blockGas: undefined,
    rule: undefined,
    get gasPrice() {
      return gasPrice;
    },
    set gasPrice(price) {
      gasPrice = price;
      scheduleMining();
    },
    get autoMine() {
      return autoMine;
    },
    set autoMine(on) {
      autoMine = on;
      scheduleMining();
    },
    get identity() {
      return { id: `memory:${chainId}`, genesis: chain.blocks[0]?.hash ?? '' };
    },
    get head() {
      return headOf(chain.head());
    },
    get blocks() {
      return chain.blocks;
    },
    get transactions() {
      return chain.blocks.flatMap((block) => block.transactions);
    },
    get pool() {
      return chain.pool.transactions;
    },
    get isDown() {
      return isDown;
    },
    get state() {
      return chain.state;
    },

    fund(address, amount) {
      const account = address.toLowerCase();
      endowments.set(account, (endowments.get(account) ?? 0n) + amount);
      chain.state.endow(account, amount);
    },
    balanceOf: (address) => chain.state.balanceAt(address.toLowerCase()),
    nonceOf: (address) => chain.state.nonceAt(address.toLowerCase()),
    executions: (filter = {}) => ledger.transactions.filter((one) => fits(one, filter)).length,
    transaction: (txId) => chain.mined(txId),

    submit(bytes, first = false) {
      const record = judge(bytes);
      submissions.push({ ...record, first });
      if (record.status === 'accepted') scheduleMining();
      const { transaction: _, ...answer } = record;
      return answer;
    },
    mine(blocks = 1) {
      for (let made = 0; made < blocks; made += 1) chain.mine(gasPrice);
      announce();
      return ledger.head;
    },
    reorganise(depth, transactions = 'return') {
      const dropped = chain.drop(depth);
      const waiting = chain.pool.transactions;
      chain.pool.clear();
      for (const one of transactions === 'return' ? [...dropped, ...waiting] : waiting) chain.pool.add(one);
      announce();
      scheduleMining();
      return ledger.head;
    },
    forgetPool: () => chain.pool.clear(),
    goDown() {
      isDown = true;
    },
    comeUp() {
      isDown = false;
      announce();
    },
    reset() {
      resets += 1;
      chain = createChain(`${chainId}/${resets}`, rules);
      for (const [address, amount] of endowments) chain.state.endow(address, amount);
      announce();
    },
    script: (misbehaviour) => misbehaviours.add(misbehaviour),
    outsideTransaction(outside) {
      const from = addressOfPrivateKey(keyType, outside.privateKey);
      const body: TransactionBody = {
        chainId,
        from,
        sequence: sequence === 'none' ? null : (outside.sequence ?? chain.state.nonceAt(from)),
        to: outside.recipient?.toLowerCase() ?? from,
        value: outside.amount ?? 0n,
        data: '0x',
        gas: gasPerTransaction,
        gasPrice: outside.gasPrice ?? gasPrice,
        salt: `outside ${submissions.length}`,
        validUntil: null,
      };
      const signatures: string[] = [];
      while (signatures.length < signingRounds) {
        signatures.push(toHex(signDigest(keyType, outside.privateKey, signingDigest(body, signatures))));
      }
      return ledger.submit(encodeTransaction(body, signatures));
    },
    onHead(listener) {
      const own = (head: Head) => listener(head);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    enter(session) {
      sessions.add(session);
      return () => sessions.delete(session);
    },
  };

  for (const [address, amount] of Object.entries(options.balances ?? {})) ledger.fund(address, amount);
  return ledger;
}

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
