import type { OperationType } from '@ledger-ops/glo-core';
import type { Awaitable, Session } from './session.ts';
import type { TechnologyDescription } from './technology.ts';
import type { Json, JsonObject, KeyType } from './values.ts';

/**
 * The features of an adapter. Each requires the methods that its comment names. The host relies on the declaration and
 * never probes.
 */
export interface Capabilities {
  operations: readonly OperationType[];
  /**
   * `account`: each transaction uses the next sequence (nonce) of its account, which the host assigns (`sequences`).
   * `none`: transactions are independent.
   */
  sequence: 'account' | 'none';
  /** `prepare` returns fee bumps and a no-op that are signed in advance. */
  replacement: boolean;
  /**
   * Fee bumps and the no-op are created on demand (`replace`, `inspect`). With `sequence: 'none'`, this
   * applies only to transactions that name claims.
   */
  onDemandReplacement?: boolean;
  /**
   * After a transaction expired, its plan is estimated again with a higher fee (`EstimateRequest.raise`). Requires
   * `sequence: 'none'`.
   */
  raisesExpired?: boolean;
  /** Dry runs: `emulate`. */
  emulation: boolean;
  /** Finds a transaction by its id: `lookup`. */
  lookup: boolean;
  /** Accounts hold native currency: `balances`. */
  balance: boolean;
  /** A wallet can sign an emulation: `emulateAs`, `advanceEmulation`. */
  signedEmulation?: boolean;
  /**
   * Other wallets can sign or pay: those named by members of the native content that the schema marks as `x-wallet`.
   * Requires `sequence: 'none'`.
   */
  coSigners?: boolean;
  /** The ledger publishes the interfaces of its contracts: `describeContract`. */
  describesContracts?: boolean;
  /** Reads the events of contracts, starting at a block: `contractEvents`. */
  contractEvents?: boolean;
  /**
   * Lists the transactions that an account signed: `transactionsOf`, `signersOf`. Used on ledgers with
   * `sequence: 'none'`. With account sequences, `sequences` shows whether unknown transactions exist.
   */
  listsTransactions?: boolean;
}

/** A ledger, as the deployer configured it. */
export interface LedgerConfig {
  ledgerId: string;
  technology: string;
  properties: Readonly<Record<string, Json>>;
  /** The ledger's nodes in order of preference. The first is the default. */
  nodes: readonly LedgerNode[];
  /**
   * Addresses that connections may reach (`@ledger-ops/adapter/outbound`). The restriction is needed because
   * users enter node addresses. If absent, connections may reach any address.
   */
  outbound?: OutboundPolicy;
}

/** Addresses and networks (`10.0.0.0/8`) that the deployer allows in addition to public addresses. */
export interface OutboundPolicy {
  open: readonly string[];
  /** The tenant that connections are counted for. Tenants share the memory for responses fairly. */
  tenant?: string;
}

/** `uri` and `properties` may contain credentials. Never log them or put them into an error. */
export interface LedgerNode {
  nodeId: string;
  uri: string;
  properties?: Readonly<Record<string, Json>>;
}

/** Result of a request to a node. `refused` means that the node responded with an error. */
export type RequestResult = 'ok' | 'refused' | 'unavailable' | 'timeout';

/** The host's clock (ms since the epoch) and log, and a signal that is aborted when the session ends. */
export interface AdapterHost {
  now(): number;
  log(level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: JsonObject): void;
  signal: AbortSignal;
  /**
   * Reports a completed request to a node, with its duration in ms. `method` is the name of the node's method
   * and contains no data of a caller. Call it in the async context of the call that caused the request. If
   * absent, the host counts no requests.
   */
  requested?(method: string, result: RequestResult, milliseconds: number): void;
  /**
   * Receives all errors that a session's methods throw, except AdapterErrors, before `toAdapterError`. Absent
   * if the host does not need them.
   */
  threw?(thrown: unknown): void;
  /**
   * W3C `traceparent` of the current call, for the requests that it makes. Undefined if the request serves several
   * calls. Absent if the host does not trace.
   */
  traceparent?(): string | undefined;
}

/** The default export of an adapter package, created with `defineAdapter`. */
export interface Adapter {
  /** Name for display, in the form of a package name: `acorn`. */
  name: string;
  /** The technology of its ledgers, as locators name it: `[a-z0-9][a-z0-9-]{0,63}`. */
  technology: string;
  description: TechnologyDescription;
  /** Version of the adapter itself. */
  version: string;
  keyType: KeyType;
  /** Omitted capabilities are off, and `sequence` is `none`. */
  capabilities: Pick<Capabilities, 'operations'> & Partial<Capabilities>;
  /**
   * Parses a contract interface without access to a ledger. Absent if the technology has no interfaces.
   *
   * @throws AdapterError `invalid-argument`
   */
  readInterface?(text: string): Awaitable<ContractInterface>;
  /**
   * Opens a session. Must not wait for the ledger: if the ledger is down, `open` still succeeds, and calls to
   * the session throw `unavailable`.
   */
  open(ledger: LedgerConfig, host: AdapterHost): Awaitable<Session>;
}

/**
 * - `interface`: normalized interface, which the host stores and passes to `check` and `emulate`.
 * - `constructorInputs`: arguments of a deployment, in order. Absent if the interface does not define them.
 * - `eventNames`: all event names that `contractEvents` reports with this interface. Absent if it may report other names.
 */
export interface ContractInterface {
  interface: string;
  methods: ContractMethod[];
  constructorInputs?: ContractParameter[];
  eventNames?: string[];
}

/** `signature` is unique in the contract, for example `transfer(address,uint256)`. A `view` method changes nothing. */
export interface ContractMethod {
  name: string;
  signature: string;
  view: boolean;
  inputs: ContractParameter[];
  outputs: ContractParameter[];
}

/** `type` is the ledger's own type name. */
export type ContractParameter = { name: string; type: string };
