import type { Checked, CheckRequest, Estimated, EstimateRequest } from './contract/check.ts';
import type { Confirmed, ConfirmRequest, Head, PendingTransaction } from './contract/confirm.ts';
import type {
  Adapter,
  AdapterHost,
  Capabilities,
  ContractInterface,
  LedgerConfig,
} from './contract/definition.ts';
import type { ContractEvents, ContractEventsRequest } from './contract/events.ts';
import type { Prepared, PrepareRequest, SignedTransaction } from './contract/prepare.ts';
import type {
  AccountTransactions,
  ChainIdentity,
  Emulated,
  EmulateRequest,
  LookupResult,
  TransactionsRequest,
} from './contract/read.ts';
import type { Inspected, LateTransaction, Replaced, ReplaceRequest } from './contract/replace.ts';
import type { SequencesOptions } from './contract/session.ts';
import type { Submission, Submitted } from './contract/submit.ts';
import type { Advance, NewWallet, Round, WalletIdentity } from './contract/wallets.ts';

/**
 * An open ledger as hosts use it: a `Session` completed by `defineAdapter`. For a list of requests, a method
 * returns one answer per request, in the same order. All data is plain and structured-cloneable, so an
 * adapter in a child process is used like one in the host's process.
 */
export interface LedgerSession {
  chain(request?: { everyNode?: boolean }): Promise<ChainIdentity>;
  createWallet(request: NewWallet): Promise<Round<WalletIdentity>>;
  advanceWallet(advance: Advance): Promise<Round<WalletIdentity>>;
  renewWallet?(wallet: WalletIdentity): Promise<Round<WalletIdentity>>;
  check(request: CheckRequest): Promise<Checked>;
  estimate(requests: EstimateRequest[]): Promise<Estimated[]>;
  prepare(requests: PrepareRequest[]): Promise<Prepared[]>;
  advance(advances: Advance[]): Promise<Round<SignedTransaction>[]>;
  submit(submissions: Submission[]): Promise<Submitted[]>;
  replace?(requests: ReplaceRequest[]): Promise<Replaced[]>;
  inspect?(requests: LateTransaction[]): Promise<Inspected[]>;
  confirm(request: ConfirmRequest): Promise<Confirmed>;
  onHead(listener: (head: Head) => void): () => void;
  sequences(addresses: string[], options?: SequencesOptions): Promise<bigint[]>;
  balances(addresses: string[]): Promise<bigint[]>;
  normaliseAddress(address: string): Promise<string>;
  describeContract?(address: string): Promise<string | null>;
  contractEvents?(request: ContractEventsRequest): Promise<ContractEvents>;
  emulate(request: EmulateRequest): Promise<Emulated>;
  emulateAs?(request: EmulateRequest & { wallet: WalletIdentity }): Promise<Round<Emulated>>;
  advanceEmulation?(advance: Advance): Promise<Round<Emulated>>;
  lookup(txId: string, signed?: PendingTransaction): Promise<LookupResult | null>;
  transactionAt?(request: { address: string; sequence: bigint }): Promise<string | null>;
  transactionsOf?(request: TransactionsRequest): Promise<AccountTransactions>;
  signersOf?(txIds: string[]): Promise<(string[] | null)[]>;
  close(): Promise<void>;
}

/** Session methods that return an answer. `session-calls.ts` describes each of them. */
export type SessionCall = Exclude<keyof LedgerSession, 'onHead' | 'close'>;
export type SessionCalls = Required<Pick<LedgerSession, SessionCall>>;

/** An adapter as `defineAdapter` returns it to hosts. */
export interface AdapterDefinition extends Omit<Adapter, 'capabilities' | 'readInterface' | 'open'> {
  /** Version of the interface that the adapter was written for (semver). */
  interfaceVersion: string;
  capabilities: Capabilities;
  readInterface(text: string): Promise<ContractInterface>;
  open(ledger: LedgerConfig, host: AdapterHost): Promise<LedgerSession>;
}
