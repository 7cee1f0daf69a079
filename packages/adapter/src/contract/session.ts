import type { Checked, CheckRequest, Estimated, EstimateRequest } from './check.ts';
import type { Confirmed, ConfirmRequest, Head, PendingTransaction } from './confirm.ts';
import type { ContractEvents, ContractEventsRequest } from './events.ts';
import type { Prepared, PrepareRequest, SignedTransaction } from './prepare.ts';
import type {
  AccountTransactions,
  ChainIdentity,
  Emulated,
  EmulateRequest,
  LookupResult,
  TransactionsRequest,
} from './read.ts';
import type { Inspected, LateTransaction, Replaced, ReplaceRequest } from './replace.ts';
import type { Submission, Submitted } from './submit.ts';
import type { Advance, NewWallet, Round, WalletIdentity } from './wallets.ts';

export type Awaitable<Value> = Value | Promise<Value>;

/**
 * A function answers one request, and an error that it throws concerns only that request. `all` answers a
 * batch: one answer per request, in the same order.
 */
export type Each<Request, Answer> =
  | ((request: Request) => Awaitable<Answer>)
  | { all(requests: Request[]): Awaitable<Answer[]> };

/**
 * An open ledger, as an author implements it. Every ledger needs the methods without a question mark; the others depend
 * on the ledger and on `capabilities`. Every method may throw `adapterError`. `unavailable` and `timeout` mean: try
 * again.
 */
export interface Session {
  /**
   * Identifies the chain. Must return quickly: the response of one node is enough. With `everyNode`, query all nodes again, and
   * throw `unavailable` if two nodes have different first blocks.
   */
  chain(request: { everyNode?: boolean }): Awaitable<ChainIdentity>;
  createWallet(request: NewWallet): Awaitable<Round<WalletIdentity>>;
  advanceWallet?(advance: Advance): Awaitable<Round<WalletIdentity>>;
  /** Renews a wallet after its `renewAt`; followed by `advanceWallet`. The address does not change. */
  renewWallet?(wallet: WalletIdentity): Awaitable<Round<WalletIdentity>>;
  /**
   * Normalizes the address of an account or a contract. Without this method, an address is valid if it
   * matches a pattern of the description.
   *
   * @throws AdapterError `invalid-argument`
   */
  normaliseAddress?(address: string): Awaitable<string>;
  /** Checks the operation as far as possible before signing, and creates the plan. */
  check(request: CheckRequest): Awaitable<Planned>;
  /** Estimates checked plans. If absent, a checked plan is ready to be prepared. */
  estimate?: Each<EstimateRequest, Estimated>;
  /** Returns the first signing round of one transaction, or of several: main, bumps, no-op. */
  prepare: Each<PrepareRequest, Round<SignedTransaction> | Prepared>;
  advance: Each<Advance, Round<SignedTransaction>>;
  submit: Each<Submission, Answered>;
  confirm(request: ConfirmRequest): Awaitable<Settled>;
  /**
   * Returns the newest block. With this method, estimates wait for `minHeight`, and the host polls for heads
   * every `polling_interval`.
   */
  head?(): Awaitable<Head>;
  /** Calls the listener for each new head, on ledgers that push them. Returns a function that unsubscribes. */
  onHead?(listener: (head: Head) => void): () => void;
  /** Returns the next free sequence of each account as of the latest block. */
  sequences?(addresses: string[], options: SequencesOptions): Awaitable<bigint[]>;
  /** Returns the first signing round of the replacement. */
  replace?: Each<ReplaceRequest, Replaced>;
  inspect?: Each<LateTransaction, Inspected>;
  balances?: Each<string, bigint>;
  /**
   * Finds a transaction. Returns null if the ledger does not know it. `signed` is given if the host signed
   * the transaction.
   */
  lookup?(txId: string, signed?: PendingTransaction): Awaitable<LookupResult | null>;
  /**
   * Returns the id of the transaction, in a block or a mempool, that used a sequence of an account; null if
   * no node returns such a transaction. Omit this method if the ledger cannot search by sequence. Called only
   * when a user compares external transactions with actions.
   */
  transactionAt?(request: { address: string; sequence: bigint }): Awaitable<string | null>;
  /**
   * Lists the transactions of an account in blocks. After a start, the host compares them with its stored
   * transactions before it signs for the account. Query every node, because a node may hide transactions.
   */
  transactionsOf?(request: TransactionsRequest): Awaitable<AccountTransactions>;
  /**
   * Returns the accounts that signed a transaction in a block, as proved by its signatures. Null if no node
   * returns the transaction. Empty for a transaction whose repetition would do no harm, such as a part of a
   * deployment whose id the host does not store.
   */
  signersOf?: Each<string, string[] | null>;
  emulate?(request: EmulateRequest): Awaitable<Emulated>;
  /** An emulation that the wallet signs. */
  emulateAs?(request: EmulateRequest & { wallet: WalletIdentity }): Awaitable<Round<Emulated>>;
  advanceEmulation?(advance: Advance): Awaitable<Round<Emulated>>;
  /**
   * Returns the contract's interface as the ledger publishes it, in the format that `readInterface` accepts;
   * null if the ledger publishes none.
   *
   * @throws AdapterError `unknown-contract`
   */
  describeContract?(address: string): Awaitable<string | null>;
  /** Returns the next events of a contract. Throws `unavailable` if the node has not reached `after` yet. */
  contractEvents?(request: ContractEventsRequest): Awaitable<ContractEvents>;
  /**
   * Converts an error of the adapter's libraries to an AdapterError. Returns undefined if the error is a bug
   * in the adapter.
   */
  toAdapterError?(error: unknown): Error | undefined;
  close?(): Awaitable<void>;
}

export interface SequencesOptions {
  /**
   * The sequences that the host expects. A higher sequence in the response means that transactions were sent
   * outside the host. Return a higher sequence only if the ledger shows one of these transactions.
   */
  expected?: (bigint | null)[];
  /**
   * Query all nodes again and return the highest count of each account. If a node does not respond, throw
   * `unavailable` and name the node.
   */
  everyNode?: boolean;
  /**
   * On every node that responds, also count transactions that wait for a block or behind a sequence gap, and
   * return the highest count of each account. The counts need no proof, because a high count only suspends
   * the account.
   */
  unmined?: boolean;
}

/** Defaults: `recipients` is empty, `cost` is 0, and `readiness` is `estimate` if the session has that method. */
export type Planned = Pick<Checked, 'plan'> & Partial<Checked>;
/** `txId` defaults to the submission's `txId`. */
export type Answered = Omit<Submitted, 'txId'> & { txId?: string };
/** `head` defaults to the cursor's block, `reorganised` to false. */
export type Settled = Pick<Confirmed, 'cursor' | 'outcomes'> & Partial<Confirmed>;
