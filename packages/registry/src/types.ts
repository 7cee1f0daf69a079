import type { ProblemDocument } from '@ledger-ops/base';
import type { Json } from '@ledger-ops/glo-core';
import type { Tx } from '@ledger-ops/store';

/** Registry records: ledgers and nodes, contract groups and contracts, templates with their versions. */

/** Typed properties of a ledger, as JSON values by name (`chain_id`, `confirmations`, `plugin_tags` …). */
export type LedgerProperties = Readonly<Record<string, Json>>;

export interface LedgerRecord {
  uid: string;
  id: number;
  ledgerId: string;
  /** Null if the deployer owns it and every project can use it. */
  projectUid: string | null;
  name: string;
  technology: string;
  active: boolean;
  properties: LedgerProperties;
  /** Default node first. */
  nodes: NodeRecord[];
  /** Increases with every change, so that sessions opened at a lower revision can be replaced. */
  revision: number;
}

export interface NodeRecord {
  uid: string;
  nodeId: string;
  name: string;
  /** May contain credentials: must not be logged or returned. */
  uri: string;
  client: string | null;
  /** Property values by name, including secrets. Never log or return them. */
  properties?: LedgerProperties;
}

export interface ContractGroupRecord {
  groupId: string;
  projectUid: string;
  name: string;
  createdAt: number;
}

export interface ContractRecord {
  /** Uid of the record and of its resource. */
  uid: string;
  /** Numeric id in deprecated records. */
  id: number;
  contractId: string;
  groupId: string;
  projectUid: string;
  name: string;
  /** The interface as registered; empty if the contract has none. */
  interface: string;
  /** The interface as normalized by the adapter. */
  parsedInterface: string;
  ledgerUid: string;
  ledgerId: string;
  nativeReference: string;
  createdAt: number;
}

export interface TemplateRecord {
  uid: string;
  id: number;
  templateId: string;
  projectUid: string;
  name: string;
  description: string | null;
  createdAt: number;
}

export interface SpecificationRecord {
  uid: string;
  id: number;
  templateUid: string;
  tag: string;
  description: string | null;
  technology: string;
  language: string | null;
  compilerVersion: string | null;
  /** compilationSpecification as submitted, JSON text. */
  compilation: string;
  /** Only a COMPILED version has an interface, code and a checksum; otherwise they are empty. */
  status: 'COMPILED' | 'PENDING' | 'FAILED';
  interface: string;
  code: string;
  checksum: string;
  /** Sources for the service's compiler, Standard JSON; null if compiled output was submitted. */
  source: string | null;
  /** The contract to compile. */
  target: string | null;
  /** Messages from the service's compiler, as a JSON array. */
  messages: string;
  hasPreprocessing: boolean;
  createdAt: number;
  updatedAt: number;
}

export interface NewNode {
  /** Generated when absent. */
  nodeId?: string;
  /** Default: the node's id. */
  name?: string;
  /** Absolute URL; may contain credentials. */
  uri: string;
  client?: string | null;
  /** Checked by the caller. */
  properties?: LedgerProperties;
  /** Stored sealed. */
  secrets?: Readonly<Record<string, string>>;
}

export interface NewLedger {
  /** Generated when absent. */
  ledgerId?: string;
  /** Null if the deployer owns it and every project can use it. */
  projectUid: string | null;
  name: string;
  technology: string;
  /** Kind of ledger; default `blockchain`. */
  type?: string;
  /** Default false. */
  featured?: boolean;
  /** Default true. */
  active?: boolean;
  /** Checked by the caller. */
  properties: LedgerProperties;
  /** Stored sealed. */
  secrets?: Readonly<Record<string, string>>;
  /** The first one is the default node. */
  nodes: readonly NewNode[];
  /** Parent resource: the ledger's project, or the system for a ledger of the deployer. */
  parentResourceUid: string;
  /** serviceId of the identity that becomes the owner. */
  owner?: string;
}

/** A change to a ledger. `properties`, if given, replaces all properties, including secrets. */
export interface LedgerChange {
  name?: string;
  type?: string;
  featured?: boolean;
  /** Checked by the caller. */
  properties?: LedgerProperties;
  /** Secret properties, stored sealed. */
  secrets?: Readonly<Record<string, string>>;
  /** JSON pointer to a property in the request; default `/properties/<name>`. */
  pointerOf?: (name: string) => string;
  active?: boolean;
}

export interface NewContractGroup {
  projectUid: string;
  name: string;
  owner?: string;
}

export interface NewContract {
  /** Generated when absent. */
  contractId?: string;
  groupId: string;
  /** If null, the contract's id. */
  name: string | null;
  /** Interface as submitted. */
  interface: string;
  /** Interface as normalized by the adapter of the ledger's technology (`readInterface`), before the transaction. */
  parsedInterface: string;
  ledgerUid: string;
  /** The contract's address on its ledger, as normalized by the adapter. */
  nativeReference: string;
  /** Template version that the contract was created from. */
  specificationUid?: string | null;
  /** Names of the contract's types. */
  types?: readonly string[];
  owner?: string;
}

/** A contract that an action deployed from a template. */
export interface DeployedContract {
  actionId: string;
  /** Id chosen by the caller who sent the action, otherwise the action's id. */
  contractId: string;
  /** If null, the contract's id. */
  name: string | null;
  projectUid: string;
  templateId: string;
  /** Version of the template. */
  tag: string;
  ledgerUid: string;
  /** The contract's address on its ledger. */
  nativeReference: string;
  /** The caller who sent the action and becomes the contract's owner. */
  deployedBy: { serviceId: string; appId: string };
}

export interface NewTemplate {
  /** Generated when absent. */
  templateId?: string;
  projectUid: string;
  name: string;
  description?: string | null;
  owner?: string;
}

/** A new version of a template with compiled output. */
export interface NewSpecification {
  templateUid: string;
  /** The version: the part after the colon in `templateId:version`. */
  tag: string;
  description?: string | null;
  technology: string;
  language?: string | null;
  compilerVersion?: string | null;
  /** compilationSpecification as submitted, JSON text. */
  compilation: string;
  /** Interface as normalized by the adapter; empty for a chaincode package without metadata. */
  interface: string;
  /** Compiled code, which the caller has checked against the technology's description. */
  code: string;
}

/** A new version of a template with sources for the service's compiler. */
export interface NewSourceSpecification
  extends Omit<NewSpecification, 'compilation' | 'interface' | 'code' | 'language' | 'compilerVersion'> {
  /** Standard JSON. */
  source: string;
  /** The contract to compile; null if there is only one. */
  target: string | null;
}

/**
 * Registry records. New records are created in the caller's transaction, together with their resources. The caller must
 * check permissions first. Pointers in problems refer to the members of the inputs here.
 */
export interface Registry {
  /** @throws Problem `invalid-request`, `already-exists` */
  createLedger(tx: Tx, input: NewLedger): Promise<LedgerRecord>;
  /** @throws Problem `invalid-request`, `not-found`, `conflict` (the chain id of a ledger cannot change) */
  updateLedger(tx: Tx, uid: string, change: LedgerChange): Promise<LedgerRecord>;
  /** @throws Problem `invalid-request`, `not-found`, `already-exists` */
  addNode(tx: Tx, ledgerUid: string, input: NewNode): Promise<NodeRecord>;
  /** @throws Problem `not-found` */
  removeNode(tx: Tx, nodeUid: string): Promise<void>;
  /** Reads from memory. The result includes every change that any server committed before the call. */
  ledgerByUid(uid: string): Promise<LedgerRecord | null>;
  /**
   * Finds the ledger with that id: the project's own, otherwise the deployer's. Without a project: the deployer's,
   * otherwise the first one of any project.
   */
  ledgerByLedgerId(ledgerId: string, projectUid?: string): Promise<LedgerRecord | null>;
  /** Returns the ledgers of all projects and of the deployer with that id, and the ledger with that uid. */
  ledgersByLedgerId(ledgerId: string): Promise<readonly LedgerRecord[]>;
  /** Link to a transaction of a ledger, for users of a project; from memory. Null if no explorer has a link. */
  explorerLink(ledgerUid: string, projectUid: string, locator: string): Promise<string | null>;
  /** Ledgers of the project and of the deployer (null: only the deployer's), active or not, oldest first. */
  listLedgers(projectUid: string | null): Promise<LedgerRecord[]>;

  /** @throws Problem `invalid-request` */
  createGroup(tx: Tx, input: NewContractGroup): Promise<ContractGroupRecord>;
  group(groupId: string): Promise<ContractGroupRecord | null>;
  /** @throws Problem `invalid-request`, `not-found` (group), `already-exists` */
  createContract(tx: Tx, input: NewContract): Promise<ContractRecord>;
  /**
   * Registers a deployed contract in the transaction that settles its action, in the group of its template.
   * If the contract's id was taken in the meantime, the action's id is used. Returns why it cannot be
   * registered, or null.
   */
  registerDeployed(tx: Tx, contract: DeployedContract): Promise<ProblemDocument | null>;
  contract(projectUid: string, contractId: string): Promise<ContractRecord | null>;

  /** @throws Problem `invalid-request`, `already-exists` */
  createTemplate(tx: Tx, input: NewTemplate): Promise<TemplateRecord>;
  template(projectUid: string, templateId: string): Promise<TemplateRecord | null>;
  /** @throws Problem `invalid-request`, `not-found` (template), `already-exists` (tag) */
  createSpecification(tx: Tx, input: NewSpecification): Promise<SpecificationRecord>;
  specification(templateUid: string, tag: string): Promise<SpecificationRecord | null>;
}
