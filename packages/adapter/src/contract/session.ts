import type { Checked, CheckRequest, Estimated, EstimateRequest } from './check.ts';
import type { Confirmed, ConfirmRequest, Head } from './confirm.ts';
import type { Prepared, PrepareRequest, SignedTransaction } from './prepare.ts';
import type { ChainIdentity, Emulated, EmulateRequest, LookupResult } from './read.ts';
import type { Inspected, LateTransaction, Replaced, ReplaceRequest } from './replace.ts';
import type { Submission, Submitted } from './submit.ts';
import type { Advance, NewWallet, Round, WalletIdentity } from './wallets.ts';

export type Awaitable<Value> = Value | Promise<Value>;

/**
 * Answers one request; what it throws is that request's alone, as far as answers can say so. Or `all` of them at once, one
 * answer for each, in their order.
 */
export type Each<Request, Answer> =
  | ((request: Request) => Awaitable<Answer>)
  | { all(requests: Request[]): Awaitable<Answer[]> };

/**
 * A ledger as an author opens it: what has no question mark is what it takes, the rest as the ledger has it and
 * `capabilities` declare it. Every method may throw `adapterError`; `unavailable` and `timeout` mean: try again. `defineAdapter`
 * makes a `LedgerSession` of it: calls after `close` and of what is not declared are refused there, and problems get the
 * phase of their method.
 */
export interface Session {
  /**
   * Which chain the ledger is, soon: one node may say it. With `everyNode` all nodes are asked anew, at once and each within
   * its time limit; those that do not answer stand in `unsure`.
   * @throws AdapterError `unavailable`, naming the nodes, where `everyNode` finds two with different first blocks
   */
  chain(request: { everyNode?: boolean }): Awaitable<ChainIdentity>;
  /** First round of making a wallet from a public key. */
  createWallet(request: NewWallet): Awaitable<Round<WalletIdentity>>;
  /** Where making or renewing a wallet takes signatures. */
  advanceWallet?(advance: Advance): Awaitable<Round<WalletIdentity>>;
  /** First round of renewing what `renewAt` told; then `advanceWallet`. The address stays. */
  renewWallet?(wallet: WalletIdentity): Awaitable<Round<WalletIdentity>>;
  /**
   * Of an account or, where there are any, of a contract. Absent: an address is what has a pattern of the description.
   * @throws AdapterError `invalid-argument`
   */
  normaliseAddress?(address: string): Awaitable<string>;
  /**
   * Checks everything that can be known before signing and makes the plan.
   * @throws AdapterError `invalid-argument` (issues), `ambiguous-method`, `unknown-method`, `wrong-sender`, `wrong-chain`,
   * `reverted`, `unavailable`, `timeout`
   */
  check(request: CheckRequest): Awaitable<Planned>;
  /** Absent: a plan is ready, and costs nothing that only an estimate would tell. */
  estimate?: Each<EstimateRequest, Estimated>;
  /** First round of the one transaction, or of several attempts: main, bumps, no-op. What it throws fails the action. */
  prepare: Each<PrepareRequest, Round<SignedTransaction> | Prepared>;
  advance: Each<Advance, Round<SignedTransaction>>;
  submit: Each<Submission, Answered>;
  confirm(request: ConfirmRequest): Awaitable<Settled>;
  /**
   * The newest block. Where it is given, nothing is estimated before `minHeight`, and hosts hear of a new head as it is polled
   * (each `polling_interval` of the ledger).
   */
  head?(): Awaitable<Head>;
  /** Calls back on each new head while there is a listener, where the ledger tells them. Returns the way to stop. */
  onHead?(listener: (head: Head) => void): () => void;
  /** `sequence: 'account'`: next free sequence of each account as the chain has it (latest block). */
  sequences?(addresses: string[], options: SequencesOptions): Awaitable<bigint[]>;
  /** `onDemandReplacement`: first round of the next attempt. */
  replace?: Each<ReplaceRequest, Replaced>;
  /** `onDemandReplacement` */
  inspect?: Each<LateTransaction, Inspected>;
  /** `balance` */
  balances?: Each<string, bigint>;
  /** `lookup`. Null when the ledger does not know it. */
  lookup?(txId: string): Awaitable<LookupResult | null>;
  /** `emulation` */
  emulate?(request: EmulateRequest): Awaitable<Emulated>;
  /** `signedEmulation`: the same, signed by the wallet. */
  emulateAs?(request: EmulateRequest & { wallet: WalletIdentity }): Awaitable<Round<Emulated>>;
  advanceEmulation?(advance: Advance): Awaitable<Round<Emulated>>;
  /**
   * `describesContracts`: what the ledger publishes of the contract at a normalised address, as `readInterface` takes it; null
   * where it publishes nothing. @throws AdapterError `unknown-contract`
   */
  describeContract?(address: string): Awaitable<string | null>;
  /** An error of the adapter's libraries as one of the contract; undefined: it is a fault of the adapter's. */
  toAdapterError?(error: unknown): Error | undefined;
  /** Ends it, once; calls that are under way have been answered. */
  close?(): Awaitable<void>;
}

/** How the sequences of accounts are asked for. */
export interface SequencesOptions {
  /**
   * The host's own count of each, null where it knows nothing. More than that means transactions from outside, and is
   * answered only where the ledger shows one, as far as it can be looked at.
   */
  expected?: (bigint | null)[];
  /**
   * All nodes are asked anew, at once and each within its time limit, and of each account the highest count is answered,
   * whatever is expected.
   * @throws AdapterError `unavailable`, naming the node, where one does not answer
   */
  everyNode?: boolean;
}

/** `recipients` absent: none; `readiness`: `estimate` where there is such a method; `cost`: 0. */
export type Planned = Pick<Checked, 'plan'> & Partial<Checked>;
/** The id is that of the submission. */
export type Answered = Omit<Submitted, 'txId'> & { txId?: string };
/** `head` absent: the cursor's block; `reorganised`: false. */
export type Settled = Pick<Confirmed, 'cursor' | 'outcomes'> & Partial<Confirmed>;
