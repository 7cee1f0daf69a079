import type { NativeContent, OperationType } from '@ledger-ops/glo-core';
import type { OutboundPolicy } from './outbound/policy.ts';

/**
 * The contract between the host (the server's runtime) and a ledger.
 *
 * Everything that crosses is plain structured-cloneable data, so an adapter in the host's process and one in
 * a process of its own are the same to the host. Keys never cross: an adapter asks for signatures over digests.
 *
 * Glossary
 * - adapter: a package whose definition opens sessions on ledgers of one technology.
 * - session: an open connection to one ledger; holds caches, never anything that may not be lost.
 * - plan: what an adapter made of an operation at acceptance; JSON, stored by the host, given back unchanged.
 * - sequence: the per-account transaction counter (Ethereum: nonce). The host allots it, the ledger enforces it.
 * - attempt: one signed transaction of an action: the main one, a fee bump of it, or the no-op at its sequence.
 * - transaction id: the ledger's identifier, known from the signed bytes alone.
 * - outcome: what the ledger finally says of a transaction, at the ledger's confirmation depth.
 * - cursor: how far the confirmed part of the chain has been read; the host stores it with the outcomes.
 */

export type KeyType = 'secp256k1' | 'p256';

/** JSON values; quantities inside are decimal texts. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** What an adapter can do. Declared, never discovered by trying. */
export interface Capabilities {
  operations: readonly OperationType[];
  /**
   * `account`: transactions carry a per-account sequence that the host allots, and are prepared in batches.
   * `none`: they are independent. The host prepares each by itself, many at once and in no order, so that a slow one
   * delays no other, and what `prepare` or `advance` throws is that one's.
   */
  sequence: 'account' | 'none';
  /** Signs fee bumps and a no-op beforehand, so that replacing needs no key later. */
  replacement: boolean;
  /**
   * Makes fee bumps and the no-op when they are needed (`replace`), and says what the ledger shows of a transaction that
   * is late (`inspect`). Only where `sequence` is `account`. The host keeps what it needs in order to sign until the
   * outcome, except of actions for which `prepare` gave a no-op beforehand.
   */
  onDemandReplacement?: boolean;
  emulation: boolean;
  /** Finds a transaction by its id. */
  lookup: boolean;
  /** Accounts hold native currency. */
  balance: boolean;
  /** A dry run can be signed by the wallet (`emulateAs`); without that it runs as an identity of the ledger's. */
  signedEmulation?: boolean;
  /** The ledger itself tells what contracts there are, and their interfaces (`describeContract`). */
  describesContracts?: boolean;
}

/** One ledger, as the deployer described it. */
export interface LedgerConfig {
  ledgerId: string;
  technology: string;
  /** Typed properties such as `chain_id`, `confirmations`, `replace_after`, `max_fee_cap`. */
  properties: Readonly<Record<string, Json>>;
  /** In order of preference; the first is the default. */
  nodes: readonly LedgerNode[];
  /**
   * Where connections may go, of nodes and of everything else that the properties name (see
   * `@ledger-ops/adapter/outbound`). A host sets it always, for users write node addresses; absent: no bounds.
   */
  outbound?: OutboundPolicy;
}

export interface LedgerNode {
  nodeId: string;
  /** May hold credentials: never to be logged or put into an error. */
  uri: string;
  /** Typed properties such as `tls_ca_certificate`, `msp_id`; secrets among them. */
  properties?: Readonly<Record<string, Json>>;
}

/** What the host lends to a session. */
export interface AdapterHost {
  /** Milliseconds since the epoch. */
  now(): number;
  log(level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: JsonObject): void;
  /** Aborted when the session is to end. */
  signal: AbortSignal;
}

export interface AdapterDefinition {
  /** Package-like name, for people: `ethereum`. */
  name: string;
  /** The technology of its ledgers, as locators name it. */
  technology: string;
  /** The adapter's own version. */
  version: string;
  /** Version of this interface that it was written for (semver). */
  interfaceVersion: string;
  keyType: KeyType;
  capabilities: Capabilities;
  /**
   * Parses a contract interface (for Ethereum an ABI) without any ledger.
   * @throws AdapterError `invalid-argument` with issues.
   */
  readInterface(text: string): Promise<ContractInterface>;
  /** Opens a session. Must not wait for the ledger: a ledger that is down opens, and its calls say `unavailable`. */
  open(ledger: LedgerConfig, host: AdapterHost): Promise<LedgerSession>;
}

export interface ContractInterface {
  /** Normalised text, to be stored and handed to `check` and `emulate`. */
  interface: string;
  methods: ContractMethod[];
}

export interface ContractMethod {
  name: string;
  /** Unique within the contract: `transfer(address,uint256)`. */
  signature: string;
  /** Changes nothing on the ledger. */
  view: boolean;
  inputs: ContractParameter[];
  outputs: ContractParameter[];
}

export interface ContractParameter {
  name: string;
  /** The ledger's own type name. */
  type: string;
}

/** A wallet as an adapter sees it: public material only. */
export interface WalletIdentity {
  /** The normalised account address. */
  address: string;
  /** Other names of the same account on the ledger. */
  aliases?: string[];
  /** Public material that the adapter wants back with each use, e.g. a certificate. */
  material?: JsonObject;
  /** From then on (ms since the epoch) the host calls `renewWallet` when it next has the wallet's key. */
  renewAt?: number;
}

/** A digest to be signed with the wallet's key. secp256k1 signatures are 65 bytes r‖s‖v (v 0 or 1, low s); p256 64 bytes r‖s (low s). */
export interface SigningRequest {
  curve: KeyType;
  /** 32 bytes. */
  digest: Uint8Array;
  /**
   * What the digest is the SHA-256 of, where it is at hand (p256). Node signs such messages natively, but no digests:
   * with it a signature costs a twentieth.
   */
  message?: Uint8Array;
}

/** Either finished, or signatures are needed to go on; `state` comes back unchanged with them. */
export type Round<Result> =
  | { done: true; result: Result }
  | { done: false; requests: SigningRequest[]; state: unknown };

export interface Advance {
  state: unknown;
  /** In the order of the requests. */
  signatures: Uint8Array[];
}

/** An operation whose locators the host has resolved to the ledger's own addresses. */
export type ResolvedOperation =
  | {
      type: 'transfer';
      recipient: string;
      /** Other names of the recipient's account, where it is a wallet of the host's. */
      recipientAliases?: string[];
      amount: bigint;
      /** Raw data sent along, `0x` hex, where the ledger takes it. */
      data?: string;
      native: NativeContent;
    }
  | {
      type: 'contract_call';
      /**
       * `address` is null while the contract is still to be deployed by another action (asked only of adapters that
       * deploy): what can be checked is
       * checked, and the plan says nothing, for the operation is checked again once the address is known.
       */
      contract: { address: string | null; interface?: string };
      method?: { name: string; args: string[] };
      data?: string;
      value: bigint;
      native: NativeContent;
    }
  | {
      type: 'contract_deploy';
      /** Absent when `data` holds the whole creation code. */
      source?: ContractSource;
      args: string[];
      data?: string;
      value: bigint;
      native: NativeContent;
    };

/** A template's compiled output. */
export interface ContractSource {
  interface: string;
  /** Ethereum: creation code, `0x` hex. */
  code: string;
  /** How the caller named it: `<template id>:<version>`. */
  resource?: string;
}

export interface CheckRequest {
  wallet: WalletIdentity;
  operation: ResolvedOperation;
}

/** An operation that passed the check. */
export interface Checked {
  plan: JsonObject;
  /**
   * The part of the plan that may not be stored in the clear. Kept sealed for as long as the action can still be
   * signed, and given back with `prepare`.
   */
  secret?: JsonObject;
  /** Normalised addresses of other accounts that receive something by it. */
  recipients: string[];
  /** A sequence that the caller demanded; the host refuses it unless it is the next free one. */
  sequence?: bigint;
  /**
   * `ready`: everything is known, it can be prepared at once. `estimate`: call `estimate` first.
   */
  readiness: 'ready' | 'estimate';
  /** The most native currency that it can take from the wallet, as far as it is known. */
  cost: bigint;
}

export interface EstimateRequest {
  wallet: WalletIdentity;
  plan: JsonObject;
  /** Height that the answering node must have reached: the blocks of the action's dependencies. */
  minHeight: number;
}

export type Estimated =
  | { status: 'ready'; plan: JsonObject; cost: bigint }
  /** Would fail if it were executed now, after what the node knows. */
  | { status: 'failed'; problem: AdapterProblem }
  /** Cannot be said or done now (node down, fee above the cap): ask again later. */
  | { status: 'wait'; problem: AdapterProblem };

export interface PrepareRequest {
  /** Idempotency key for adapters with custody of their own. */
  actionId: string;
  wallet: WalletIdentity;
  plan: JsonObject;
  /** As `check` gave it. */
  secret?: JsonObject;
  /** Set where `capabilities.sequence` is `account`. */
  sequence?: bigint;
}

export type AttemptKind = 'main' | 'bump' | 'noop';

export type Prepared =
  | { status: 'prepared'; attempts: { kind: AttemptKind; round: Round<SignedTransaction> }[] }
  | { status: 'failed'; problem: AdapterProblem };

/** What is signed of one action, at one sequence, and is not mined in its time. */
export interface LateTransaction extends PrepareRequest {
  sequence: bigint;
  /**
   * Everything signed at the sequence so far, in its order. Nothing: the ledger wants a sequence that nobody can send,
   * and the request is for a no-op there, whatever the plan is of; of the plan only what a no-op has in common with it
   * may be used (chain, type of fee).
   */
  signed: readonly { kind: AttemptKind; txId: string; bytes: Uint8Array }[];
}

export interface ReplaceRequest extends LateTransaction {
  /**
   * `bump`: the same operation at a higher fee. `noop`: nothing, in its place, at a fee that beats what is signed, or that
   * the ledger asks where nothing is.
   */
  kind: 'bump' | 'noop';
  /**
   * `if-asked`: only where the ledger asks more now than what is signed offers. `always`: at least the least that nodes
   * take as a replacement, below the caps. A no-op is always made.
   */
  raise: 'if-asked' | 'always';
  /** The most that the caller allows for a unit of the ledger's fee, beside the ledger's own cap. */
  cap?: bigint;
}

export type Replaced =
  | { status: 'prepared'; attempt: { kind: AttemptKind; round: Round<SignedTransaction> } }
  /** What is signed offers what the ledger asks now. */
  | { status: 'enough' }
  /** It cannot be made, or would not be taken, now; `problem` says what is asked and what forbids it: `fee-above-cap`, `insufficient-funds`, `unavailable`. */
  | { status: 'wait'; problem: AdapterProblem };

/** What the ledger shows of a late transaction. Decides what is signed next, never an outcome. */
export interface Inspected {
  /**
   * `shown`: a node has one of what is signed, in its pool or in a block. `absent`: every node that answers has none.
   * `unknown`: no node could say.
   */
  status: 'shown' | 'absent' | 'unknown';
  /** Why the ledger would not take it now, for people, where that can be found out; funds that are missing with the amount. */
  problem?: AdapterProblem;
  /** Neither a higher fee nor time would help: what is signed can never be taken. */
  hopeless?: boolean;
}

export interface SignedTransaction {
  txId: string;
  /** Complete: may be sent any number of times, to any node, and needs no key any more. */
  bytes: Uint8Array;
  /** The most native currency that this transaction can take from the wallet. */
  cost: bigint;
  /**
   * Its outcome may be `continue`: the host keeps what it needs in order to sign again until the outcome. Only where
   * `capabilities.sequence` is `none`.
   */
  mayContinue?: boolean;
}

export interface Submission {
  txId: string;
  bytes: Uint8Array;
  /** These bytes were never sent before, not even before a crash of the host. */
  first?: boolean;
  /** It is late: to every node of the ledger, since one that took it may have forgotten it. */
  everyNode?: boolean;
}

/**
 * What a node said to a transaction. Only `rejected` decides anything: a node that refuses may have accepted
 * before, and another may have taken it.
 */
export interface Submitted {
  txId: string;
  /**
   * `rejected`: it is certain that the ledger does not have these bytes, and never will unless somebody sends them
   * again, which nobody does: the action has failed. At the first send (`Submission.first`) its own refusal is enough;
   * later the adapter must also know what became of those before. Only where `capabilities.sequence` is `none`, since
   * elsewhere the account's next transactions wait for this one.
   */
  status: 'accepted' | 'known' | 'refused' | 'rejected' | 'unavailable';
  problem?: AdapterProblem;
  /**
   * The host stores it with the transaction, gives it back in `ConfirmRequest.pending`, and sends these bytes no more.
   * For ledgers that answer with an id of their own.
   */
  note?: string;
}

/** Position in the confirmed part of the chain. */
export interface Cursor {
  /** Grows with the chain. */
  height: number;
  /** The block's hash; where there are no forks, any text that tells the position. Opaque to the host. */
  hash: string;
}

export interface Head {
  height: number;
  hash: string;
}

export interface PendingTransaction {
  address: string;
  sequence?: bigint;
  /** As `submit` gave it. */
  note?: string;
}

export interface ConfirmRequest {
  /** Where the last call ended; null at the start and after a restart of the host that lost it. */
  cursor: Cursor | null;
  /** Every transaction that waits for its outcome, by id. Read, never changed or kept. */
  pending: ReadonlyMap<string, PendingTransaction>;
}

export interface Confirmed {
  cursor: Cursor;
  head: Head;
  outcomes: Outcome[];
  /** The cursor's block is no longer part of the chain: send everything unfinished or recent again. */
  reorganised: boolean;
  /** Transactions that have no outcome for a reason that people should know, anew in each answer as long as it holds. */
  remarks?: Remark[];
  /**
   * What is wrong with single nodes while the ledger is served, naming them, anew in each answer as long as it holds. For
   * people: shown where readiness is asked for. No secrets.
   */
  warnings?: string[];
}

/** Why a transaction has no outcome yet. Shown to whoever asks after its action; decides nothing. */
export interface Remark {
  txId: string;
  /** For people. No secrets. */
  detail: string;
}

/** Final. Given only at the ledger's confirmation depth. */
export type Outcome =
  | {
      txId: string;
      status: 'succeeded';
      height: number;
      blockHash: string;
      contractAddress?: string;
      /** Paid, in native currency. */
      fee?: bigint;
      /** The ledger's transaction id where it is not `txId`. */
      locator?: string;
      /** What else the caller should know, e.g. the result of the call. No secrets. */
      details?: JsonObject;
    }
  | {
      txId: string;
      status: 'failed';
      height: number;
      blockHash: string;
      problem: AdapterProblem;
      fee?: bigint;
      locator?: string;
      details?: JsonObject;
    }
  /**
   * This transaction is over, and the action needs another one: its next step, or a new try where the ledger took it as
   * invalid. The host stores the new plan and prepares the action again, under the same id; an action has at most a
   * hundred transactions.
   */
  | {
      txId: string;
      status: 'continue';
      height: number;
      blockHash: string;
      plan: JsonObject;
      /** Why, for people. */
      detail: string;
      /**
       * Something of the action stands on the ledger by now. Its deadline, which bounds the time until then, does not
       * stop what is half done.
       */
      executed?: boolean;
      /** Milliseconds to wait before. */
      delay?: number;
    }
  /**
   * Another transaction, which was seen in a block at depth and is none of those that are pending, took its sequence. That
   * a ledger shows nothing of this one is not enough. `by`: the id of that transaction, where one can be named.
   */
  | { txId: string; status: 'superseded'; height: number; blockHash: string; by?: string };

export interface EmulateRequest {
  wallet?: WalletIdentity;
  operation: ResolvedOperation;
  /**
   * The caller may call contracts that belong to the ledger itself and show everything on it. Absent: an adapter whose
   * ledger has such contracts refuses calls of them as `system-contract`, before anything is asked of the ledger.
   */
  systemContracts?: boolean;
}

export interface Emulated {
  /** Decoded result of a call; null where there is none. */
  result: Json;
  /** Estimated fee in native currency, where a wallet is given. */
  fee?: bigint;
  /** Ledger-specific figures such as `gas`; `identity`, where it matters who asked. */
  figures?: JsonObject;
}

export interface LookupResult {
  txId: string;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  height?: number;
  blockHash?: string;
  contractAddress?: string;
  problem?: AdapterProblem;
  /** The ledger's own receipt, JSON. */
  receipt?: Json;
}

export interface ChainIdentity {
  /** Chain-agnostic id (CAIP-2 style): `eip155:1`. Two ledger records of one chain share it. */
  id: string;
  /** Hash of the first block. Another one under the same id is another chain: it was reset. */
  genesis: string;
  /**
   * Answering `everyNode`: which nodes could not be asked, or do not have the whole chain yet, for people. Absent:
   * all of them say this.
   */
  unsure?: string;
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
  /** First round of making a wallet from a public key (33-byte compressed point). */
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
   * Next free sequence of each account as the chain has it (latest block). Only where `sequence` is `account`. `expected`:
   * what the host holds it to be, null where it knows nothing; more than that means transactions from outside, and is
   * answered only where the ledger shows one, as far as it can be looked at.
   */
  sequences(addresses: string[], expected?: (bigint | null)[]): Promise<bigint[]>;
  /** Only where `balance` is declared. */
  balances(addresses: string[]): Promise<bigint[]>;
  /** Normalises an account address. @throws AdapterError `invalid-argument` */
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

/** Where in an operation's way something went wrong. */
export type Phase =
  | 'open'
  | 'interface'
  | 'wallet'
  | 'check'
  | 'estimate'
  | 'prepare'
  | 'submit'
  | 'confirm'
  | 'emulate'
  | 'lookup';

/** Stable codes. The host maps them to problem types and HTTP statuses. */
export const adapterErrorCodes = [
  /** A value is malformed or out of range; `issues` says which. */
  'invalid-argument',
  /** Several methods of that name fit: name it by signature. */
  'ambiguous-method',
  'unknown-method',
  'unknown-contract',
  /** The contract belongs to the ledger itself, and the emulation does not allow it (`systemContracts`). */
  'system-contract',
  'unsupported-operation',
  /** `from` is not the wallet. */
  'wrong-sender',
  /** The chain id is not the ledger's, or the node is on another chain than configured. */
  'wrong-chain',
  'insufficient-funds',
  'fee-above-cap',
  /** The contract refused; `detail` holds the decoded reason. */
  'reverted',
  'out-of-gas',
  /** A node refused the bytes for a reason of its own. */
  'refused',
  /** The wallet's certificate is expired, foreign or of the wrong member. */
  'certificate-invalid',
  /** The ledger's members did not endorse it, or not alike. */
  'endorsement-failed',
  /** The ledger took it into a block as invalid; `data.validationCode` says why. */
  'invalidated',
  /** A deployment that other members have still to approve; `data.organizations` names them. */
  'approvals-missing',
  'unavailable',
  'timeout',
  /** All that could be asked is at addresses that the deployer of the host has not opened. */
  'not-opened',
  /** The adapter broke its contract. */
  'adapter-fault',
] as const;
export type AdapterErrorCode = (typeof adapterErrorCodes)[number];

/** An error as data. */
export interface AdapterProblem {
  code: AdapterErrorCode;
  /** What was wrong, where, and what to do; no secrets. */
  detail: string;
  phase: Phase;
  txId?: string;
  /** For invalid arguments: where. Pointers are into the operation's options: `/args/0`, `/recipient/resource`. */
  issues?: { pointer: string; detail: string }[];
  /** More of it for programs, e.g. the decoded custom error. */
  data?: JsonObject;
}
