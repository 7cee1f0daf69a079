import type { Checked, CheckRequest, Estimated, EstimateRequest } from './check.ts';
import type { Confirmed, ConfirmRequest, Head } from './confirm.ts';
import type { Prepared, PrepareRequest, SignedTransaction } from './prepare.ts';
import type { ChainIdentity, Emulated, EmulateRequest, LookupResult } from './read.ts';
import type { Inspected, LateTransaction, Replaced, ReplaceRequest } from './replace.ts';
import type { Submission, Submitted } from './submit.ts';
import type { Advance, Round, WalletIdentity } from './wallets.ts';

/**
 * The contract between the host (the server's runtime) and a ledger.
 *
 * Everything that crosses is plain structured-cloneable data, so an adapter in the host's process and one in
 * a process of its own are the same to the host. Keys never cross: an adapter asks for signatures over digests.
 */

/** How the sequences of accounts are asked for. */
export interface SequencesOptions {
  /**
   * The host's own count of each, null where it knows nothing. More than that means transactions from outside, and is
   * answered only where the ledger shows one, as far as it can be looked at.
   */
  expected?: (bigint | null)[];
  /**
   * All nodes are asked anew, at once and each within its time limit, and of each account the highest count is answered,
   * whatever is expected: the host asks so before it gives up what one node does not count any more.
   */
  everyNode?: boolean;
}

/** An open ledger. Every method may throw AdapterError; `unavailable` and `timeout` mean: try again. */
export interface LedgerSession {
  /**
   * Which chain the ledger is, soon: one node may say it. With `everyNode`, which the host asks before it gives up what
   * was signed for another chain, all nodes are asked anew, at once and each within its time limit; those that do not
   * answer stand in `unsure`.
   * @throws AdapterError `unavailable`, naming the nodes, where `everyNode` finds two with different first blocks
   */
  chain(request?: { everyNode?: boolean }): Promise<ChainIdentity>;
  /** First round of making a wallet from a public key: a compressed point of 33 bytes, of ed25519 the 32 bytes of RFC 8032. */
  createWallet(request: {
    walletId: string;
    publicKey: Uint8Array;
    parameters: Readonly<Record<string, string>>;
  }): Promise<Round<WalletIdentity>>;
  advanceWallet(advance: Advance): Promise<Round<WalletIdentity>>;
  /** First round of renewing what `renewAt` told; then `advanceWallet`. The address stays. */
  renewWallet?(wallet: WalletIdentity): Promise<Round<WalletIdentity>>;
  /**
   * Checks everything that can be known before signing and makes the plan.
   * @throws AdapterError `invalid-argument` (issues), `ambiguous-method`, `unknown-method`, `unsupported-operation`,
   * `wrong-sender`, `wrong-chain`, `reverted`, `unavailable`, `timeout`.
   */
  check(request: CheckRequest): Promise<Checked>;
  estimate(requests: EstimateRequest[]): Promise<Estimated[]>;
  /** First round for each; the order of attempts is main, bumps, no-op. */
  prepare(requests: PrepareRequest[]): Promise<Prepared[]>;
  advance(advances: Advance[]): Promise<Round<SignedTransaction>[]>;
  submit(submissions: Submission[]): Promise<Submitted[]>;
  /** Only where `onDemandReplacement` is declared: first round of the next attempt for each. One answer for each request. */
  replace?(requests: ReplaceRequest[]): Promise<Replaced[]>;
  /** Only where `onDemandReplacement` is declared. One answer for each request. */
  inspect?(requests: LateTransaction[]): Promise<Inspected[]>;
  confirm(request: ConfirmRequest): Promise<Confirmed>;
  /** Calls back on each new head while there is a listener. Returns the way to stop. */
  onHead(listener: (head: Head) => void): () => void;
  /**
   * Next free sequence of each account as the chain has it (latest block), soon: one node may say it. Only where
   * `sequence` is `account`.
   * @throws AdapterError `unavailable`, naming the node, where `everyNode` is asked and one does not answer
   */
  sequences(addresses: string[], options?: SequencesOptions): Promise<bigint[]>;
  /** Only where `balance` is declared. */
  balances(addresses: string[]): Promise<bigint[]>;
  /** Normalises the address of an account or, where there are any, of a contract. @throws AdapterError `invalid-argument` */
  normaliseAddress(address: string): Promise<string>;
  /**
   * Only where `describesContracts` is declared: what the ledger publishes of the contract at a normalised address, as
   * `readInterface` takes it; null where it publishes nothing.
   * @throws AdapterError `unknown-contract`
   */
  describeContract?(address: string): Promise<string | null>;
  /** Only where `emulation` is declared. */
  emulate(request: EmulateRequest): Promise<Emulated>;
  /** Only where `signedEmulation` is declared: the same, signed by the wallet. */
  emulateAs?(request: EmulateRequest & { wallet: WalletIdentity }): Promise<Round<Emulated>>;
  advanceEmulation?(advance: Advance): Promise<Round<Emulated>>;
  /** Only where `lookup` is declared. Null when the ledger does not know it. */
  lookup(txId: string): Promise<LookupResult | null>;
  close(): Promise<void>;
}
