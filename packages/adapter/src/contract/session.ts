import type { Checked, CheckRequest, Estimated, EstimateRequest } from './check.ts';
import type { Confirmed, ConfirmRequest, Head } from './confirm.ts';
import type { ContractEvents, ContractEventsRequest } from './events.ts';
import type { Prepared, PrepareRequest, SignedTransaction } from './prepare.ts';
import type { ChainIdentity, Emulated, EmulateRequest, LookupResult } from './read.ts';
import type { Inspected, LateTransaction, Replaced, ReplaceRequest } from './replace.ts';
import type { Submission, Submitted } from './submit.ts';
import type { Advance, NewWallet, Round, WalletIdentity } from './wallets.ts';

export type Awaitable<Value> = Value | Promise<Value>;

/** Answers one request, and what it throws is that one's; or `all` at once, one answer for each, in their order. */
export type Each<Request, Answer> =
  | ((request: Request) => Awaitable<Answer>)
  | { all(requests: Request[]): Awaitable<Answer[]> };

/**
 * An open ledger, as an author writes it: what has no question mark is what every ledger takes, the rest as the ledger has it
 * and `capabilities` declare it. Every method may throw `adapterError`; `unavailable` and `timeout` mean: try again.
 */
export interface Session {
  /** Soon: one node may say it. `everyNode`: all are asked anew; `unavailable` where two have different first blocks. */
  chain(request: { everyNode?: boolean }): Awaitable<ChainIdentity>;
  createWallet(request: NewWallet): Awaitable<Round<WalletIdentity>>;
  advanceWallet?(advance: Advance): Awaitable<Round<WalletIdentity>>;
  /** Renews what `renewAt` told; then `advanceWallet`. The address stays. */
  renewWallet?(wallet: WalletIdentity): Awaitable<Round<WalletIdentity>>;
  /** Of an account or a contract. Absent: what has a pattern of the description. @throws AdapterError `invalid-argument` */
  normaliseAddress?(address: string): Awaitable<string>;
  /** Checks everything that can be known before signing, and makes the plan. */
  check(request: CheckRequest): Awaitable<Planned>;
  /** Absent: a plan is ready as it was checked. */
  estimate?: Each<EstimateRequest, Estimated>;
  /** First round of the one transaction, or of several attempts: main, bumps, no-op. */
  prepare: Each<PrepareRequest, Round<SignedTransaction> | Prepared>;
  advance: Each<Advance, Round<SignedTransaction>>;
  submit: Each<Submission, Answered>;
  confirm(request: ConfirmRequest): Awaitable<Settled>;
  /** The newest block: with it estimates wait for `minHeight`, and heads are polled (each `polling_interval`). */
  head?(): Awaitable<Head>;
  /** Calls back on each new head while there is a listener, where the ledger tells them. Returns the way to stop. */
  onHead?(listener: (head: Head) => void): () => void;
  /** Next free sequence of each account, as the latest block has it. */
  sequences?(addresses: string[], options: SequencesOptions): Awaitable<bigint[]>;
  /** First round of the next attempt. */
  replace?: Each<ReplaceRequest, Replaced>;
  inspect?: Each<LateTransaction, Inspected>;
  balances?: Each<string, bigint>;
  /** Null when the ledger does not know it. */
  lookup?(txId: string): Awaitable<LookupResult | null>;
  emulate?(request: EmulateRequest): Awaitable<Emulated>;
  /** The same, signed by the wallet. */
  emulateAs?(request: EmulateRequest & { wallet: WalletIdentity }): Awaitable<Round<Emulated>>;
  advanceEmulation?(advance: Advance): Awaitable<Round<Emulated>>;
  /** The contract's interface as the ledger publishes it, as `readInterface` takes it, or null. @throws AdapterError `unknown-contract` */
  describeContract?(address: string): Awaitable<string | null>;
  /** The next events of a contract. `unavailable` where a node has not come as far as `after` yet. */
  contractEvents?(request: ContractEventsRequest): Awaitable<ContractEvents>;
  /** An error of the adapter's libraries as one of the contract; undefined: it is a fault of the adapter's. */
  toAdapterError?(error: unknown): Error | undefined;
  close?(): Awaitable<void>;
}

export interface SequencesOptions {
  /** The host's own counts. More means transactions from outside, and is answered only where the ledger shows one. */
  expected?: (bigint | null)[];
  /** All nodes are asked anew, and the highest counts answered; `unavailable`, naming it, where one does not say. */
  everyNode?: boolean;
}

/** `recipients` absent: none; `readiness`: `estimate` where there is such a method; `cost`: 0. */
export type Planned = Pick<Checked, 'plan'> & Partial<Checked>;
/** The id is that of the submission. */
export type Answered = Omit<Submitted, 'txId'> & { txId?: string };
/** `head` absent: the cursor's block; `reorganised`: false. */
export type Settled = Pick<Confirmed, 'cursor' | 'outcomes'> & Partial<Confirmed>;
