import type { OperationType } from '@ledger-ops/glo-core';
import type { LedgerSession } from './host.ts';
import type { Awaitable, Session } from './session.ts';
import type { TechnologyDescription } from './technology.ts';
import type { Json, JsonObject, KeyType } from './values.ts';

/** The powers of an adapter. Declared, never discovered by trying. */
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
   * `@ledger-ops/outbound`). A host sets it always, for users write node addresses; absent: no bounds.
   */
  outbound?: OutboundPolicy;
}

/** Where connections may go. Plain data: it crosses to plugins in processes of their own. */
export interface OutboundPolicy {
  /**
   * Addresses and networks (`127.0.0.1`, `10.0.0.0/8`, `::1/128`) that are open beside the public ones; the
   * deployer's choice, never a user's.
   */
  open: readonly string[];
}

export interface LedgerNode {
  nodeId: string;
  /** May hold credentials: never to be logged or put into an error. */
  uri: string;
  /** Typed properties such as `tls_ca_certificate`, `msp_id`; secrets among them. */
  properties?: Readonly<Record<string, Json>>;
}

/** The host's clock, log and end, lent to a session. */
export interface AdapterHost {
  /** Milliseconds since the epoch. */
  now(): number;
  log(level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: JsonObject): void;
  /** Aborted when the session is to end. */
  signal: AbortSignal;
}

/** What an adapter package exports, made with `defineAdapter`. */
export interface Adapter {
  /** Package-like name, for people: `acorn`. */
  name: string;
  /** The technology of its ledgers, as locators name it: `[a-z0-9][a-z0-9-]{0,63}`. */
  technology: string;
  /** That technology, described for the host. */
  description: TechnologyDescription;
  /** The adapter's own version. */
  version: string;
  keyType: KeyType;
  /** What is not named is not there; `sequence`: `none`. */
  capabilities: Pick<Capabilities, 'operations'> & Partial<Capabilities>;
  /**
   * Parses a contract interface, such as an ABI, without any ledger. Absent: there are none.
   * @throws AdapterError `invalid-argument` with issues.
   */
  readInterface?(text: string): Awaitable<ContractInterface>;
  /** Opens a session. Must not wait for the ledger: a ledger that is down opens, and its calls say `unavailable`. */
  open(ledger: LedgerConfig, host: AdapterHost): Awaitable<Session>;
}

/** An adapter as `defineAdapter` hands it to hosts. */
export interface AdapterDefinition extends Omit<Adapter, 'capabilities' | 'readInterface' | 'open'> {
  /** Version of this interface that it was written for (semver). */
  interfaceVersion: string;
  capabilities: Capabilities;
  readInterface(text: string): Promise<ContractInterface>;
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
