import type { Checked, CheckRequest, Estimated, EstimateRequest } from './contract/check.ts';
import type { Confirmed, ConfirmRequest, Head } from './contract/confirm.ts';
import type {
  Adapter,
  AdapterHost,
  Capabilities,
  ContractInterface,
  LedgerConfig,
} from './contract/definition.ts';
import type { ContractEvents, ContractEventsRequest } from './contract/events.ts';
import type { Prepared, PrepareRequest, SignedTransaction } from './contract/prepare.ts';
import type { ChainIdentity, Emulated, EmulateRequest, LookupResult } from './contract/read.ts';
import type { Inspected, LateTransaction, Replaced, ReplaceRequest } from './contract/replace.ts';
import type { SequencesOptions } from './contract/session.ts';
import type { Submission, Submitted } from './contract/submit.ts';
import type { Advance, NewWallet, Round, WalletIdentity } from './contract/wallets.ts';

/**
 * An open ledger as hosts have it: a `Session` with all that `defineAdapter` supplies. Lists are answered one for each, in their
 * order. Everything that crosses is plain structured-cloneable data, so that an adapter in the host's process and one in a
 * process of its own are the same to the host.
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
  lookup(txId: string): Promise<LookupResult | null>;
  close(): Promise<void>;
}

/** The calls of a session that are answered. */
export type SessionCall = Exclude<keyof LedgerSession, 'onHead' | 'close'>;

/** An adapter as `defineAdapter` hands it to hosts. */
export interface AdapterDefinition extends Omit<Adapter, 'capabilities' | 'readInterface' | 'open'> {
  /** Version of this interface that it was written for (semver). */
  interfaceVersion: string;
  capabilities: Capabilities;
  readInterface(text: string): Promise<ContractInterface>;
  open(ledger: LedgerConfig, host: AdapterHost): Promise<LedgerSession>;
}
