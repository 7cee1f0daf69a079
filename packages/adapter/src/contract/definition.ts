import type { OperationType } from '@ledger-ops/glo-core';
import type { Awaitable, Session } from './session.ts';
import type { TechnologyDescription } from './technology.ts';
import type { Json, JsonObject, KeyType } from './values.ts';

/** The powers of an adapter, and the methods that they take. Declared, never discovered by trying. */
export interface Capabilities {
  operations: readonly OperationType[];
  /** `account`: each transaction takes the account's next, which the host allots (`sequences`). `none`: independent. */
  sequence: 'account' | 'none';
  /** `prepare` gives fee bumps and a no-op, signed beforehand. */
  replacement: boolean;
  /** Fee bumps and the no-op are made when they are needed (`replace`, `inspect`), where `sequence` is `account`. */
  onDemandReplacement?: boolean;
  /** `emulate` */
  emulation: boolean;
  /** Finds a transaction by its id: `lookup`. */
  lookup: boolean;
  /** Accounts hold native currency: `balances`. */
  balance: boolean;
  /** A dry run can be signed by the wallet: `emulateAs`, `advanceEmulation`. */
  signedEmulation?: boolean;
  /**
   * Other wallets sign too, or pay: those that members of native content name which its schema says are `x-wallet`. Only where
   * `sequence` is `none`.
   */
  coSigners?: boolean;
  /** The ledger itself tells the interfaces of its contracts: `describeContract`. */
  describesContracts?: boolean;
  /** Reads what contracts told, from a block on: `contractEvents`. */
  contractEvents?: boolean;
}

/** One ledger, as the deployer described it. */
export interface LedgerConfig {
  ledgerId: string;
  technology: string;
  properties: Readonly<Record<string, Json>>;
  /** In order of preference; the first is the default. */
  nodes: readonly LedgerNode[];
  /** Where connections may go (`@ledger-ops/outbound`): users write node addresses. Absent: no bounds. */
  outbound?: OutboundPolicy;
}

/** Addresses and networks (`10.0.0.0/8`) that the deployer has opened beside the public ones. */
export interface OutboundPolicy {
  open: readonly string[];
}

/** `uri` and `properties` may hold credentials: never to be logged or put into an error. */
export interface LedgerNode {
  nodeId: string;
  uri: string;
  properties?: Readonly<Record<string, Json>>;
}

/** How a request to a node ended; `refused`: answered with an error. */
export type RequestResult = 'ok' | 'refused' | 'unavailable' | 'timeout';

/** The host's clock (ms since the epoch), log, and end, lent to a session. */
export interface AdapterHost {
  now(): number;
  log(level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: JsonObject): void;
  signal: AbortSignal;
  /** A request to a node ended (ms): its method's name, nothing of a caller's; told in the async context of who asked. Absent: nobody counts. */
  requested?(method: string, result: RequestResult, milliseconds: number): void;
  /** Told of all that a session's methods throw beside AdapterErrors, before `toAdapterError`. Absent: nobody wants to see it. */
  threw?(thrown: unknown): void;
  /** W3C `traceparent` of the call under way, for requests made in it; undefined: it serves nobody alone. Absent: no traces. */
  traceparent?(): string | undefined;
}

/** The default export of an adapter package, made with `defineAdapter`. */
export interface Adapter {
  /** Package-like name, for people: `acorn`. */
  name: string;
  /** The technology of its ledgers, as locators name it: `[a-z0-9][a-z0-9-]{0,63}`. */
  technology: string;
  description: TechnologyDescription;
  /** The adapter's own version. */
  version: string;
  keyType: KeyType;
  /** Whatever is not named is not there; `sequence`: `none`. */
  capabilities: Pick<Capabilities, 'operations'> & Partial<Capabilities>;
  /** Parses a contract interface without any ledger. Absent: there are none. @throws AdapterError `invalid-argument` */
  readInterface?(text: string): Awaitable<ContractInterface>;
  /** Must not wait for the ledger: one that is down opens, and its calls say `unavailable`. */
  open(ledger: LedgerConfig, host: AdapterHost): Awaitable<Session>;
}

/**
 * `interface`: normalised text, to be stored and handed to `check` and `emulate`. `constructorInputs`: arguments that a deployment of
 * the contract takes, in order; absent: the interface does not tell them. `eventNames`: all names under which `contractEvents` tells
 * events by this interface; absent: it may tell them under others.
 */
export interface ContractInterface {
  interface: string;
  methods: ContractMethod[];
  constructorInputs?: ContractParameter[];
  eventNames?: string[];
}

/** `signature`: unique in the contract, as `transfer(address,uint256)`. `view`: changes nothing. */
export interface ContractMethod {
  name: string;
  signature: string;
  view: boolean;
  inputs: ContractParameter[];
  outputs: ContractParameter[];
}

/** `type`: the ledger's own name of it. */
export type ContractParameter = { name: string; type: string };
