import type { Paging, ProblemDocument } from '@ledger-ops/base';
import type { Json } from '@ledger-ops/glo-core';
import type { Tx } from '@ledger-ops/store';

/** The records that there are: ledgers and nodes, contract groups and contracts, templates with their versions. */

/** Typed properties of a ledger, as JSON values by name (`chain_id`, `confirmations`, `plugin_tags` …). */
export type LedgerProperties = Readonly<Record<string, Json>>;

export interface LedgerRecord {
  uid: string;
  id: number;
  ledgerId: string;
  /** Null: of the deployer, usable in every project. */
  projectUid: string | null;
  name: string;
  technology: string;
  active: boolean;
  properties: LedgerProperties;
  /** Default node first. */
  nodes: NodeRecord[];
  /** Grows with every change, so that a session opened on an older one can be replaced. */
  revision: number;
}

export interface NodeRecord {
  uid: string;
  nodeId: string;
  name: string;
  /** May hold credentials: never to be logged or answered. */
  uri: string;
  client: string | null;
  /** By name, secrets among them: never to be logged or answered. */
  properties?: LedgerProperties;
}

export interface ContractGroupRecord {
  groupId: string;
  projectUid: string;
  name: string;
  createdAt: number;
}

export interface ContractRecord {
  /** Also the id of its resource. */
  uid: string;
  /** Counter of the deprecated record. */
  id: number;
  contractId: string;
  groupId: string;
  projectUid: string;
  name: string;
  /** As it was registered. */
  interface: string;
  /** As the adapter normalised it. */
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
  /** compilationSpecification as given, JSON text. */
  compilation: string;
  /** Only a COMPILED version has an interface, code and a checksum; else they are empty. */
  status: 'COMPILED' | 'PENDING' | 'FAILED';
  interface: string;
  code: string;
  checksum: string;
  /** Sources that our compiler is given, Standard JSON; null: compiled output was given. */
  source: string | null;
  /** Which contract of the sources. */
  target: string | null;
  /** Messages of our compiler, JSON array. */
  messages: string;
  hasPreprocessing: boolean;
  createdAt: number;
  updatedAt: number;
}

/** One page, and how many there are on all pages. */
export interface ListResult<Item> {
  items: Item[];
  total: number;
}

/** A new node of a ledger. */
export interface NewNode {
  /** Generated when absent. */
  nodeId?: string;
  /** The node's id when absent. */
  name?: string;
  /** Absolute URL; may hold credentials. */
  uri: string;
  client?: string | null;
  /** Checked by the caller. */
  properties?: LedgerProperties;
  /** Kept sealed. */
  secrets?: Readonly<Record<string, string>>;
}

/** A new ledger. */
export interface NewLedger {
  /** Generated when absent. */
  ledgerId?: string;
  /** Null: of the deployer, usable in every project. */
  projectUid: string | null;
  name: string;
  technology: string;
  /** The kind of ledger, in words; default `blockchain`. */
  type?: string;
  /** Default false. */
  featured?: boolean;
  /** Default true. */
  active?: boolean;
  /** Checked by the caller. */
  properties: LedgerProperties;
  /** Kept sealed. */
  secrets?: Readonly<Record<string, string>>;
  /** Default node first. */
  nodes: readonly NewNode[];
  /** The resource above the ledger's: its project, or the system for a ledger of the deployer. */
  parentResourceUid: string;
  /** serviceId of the identity that gets the owner role on it. */
  owner?: string;
}

/** A change to a ledger. `properties`, when given, replaces all, secrets too. */
export interface LedgerChange {
  name?: string;
  type?: string;
  featured?: boolean;
  /** Checked by the caller. */
  properties?: LedgerProperties;
  /** Beside `properties`; kept sealed. */
  secrets?: Readonly<Record<string, string>>;
  /** Where a property stands in the request; default `/properties/<name>`. */
  pointerOf?: (name: string) => string;
  active?: boolean;
}

/** A new contract group. */
export interface NewContractGroup {
  projectUid: string;
  name: string;
  owner?: string;
}

/** A new contract. */
export interface NewContract {
  /** Generated when absent. */
  contractId?: string;
  groupId: string;
  /** The contract's id when null. */
  name: string | null;
  /** As it was given. */
  interface: string;
  /** As the adapter of the ledger's technology normalised it (`readInterface`), before the transaction. */
  parsedInterface: string;
  ledgerUid: string;
  /** The contract's address on its ledger, as the adapter normalised it. */
  nativeReference: string;
  /** The template version that it was made from. */
  specificationUid?: string | null;
  /** Names of the kinds that it is of. */
  types?: readonly string[];
  owner?: string;
}

/** A contract that an action deployed from a template. */
export interface DeployedContract {
  actionId: string;
  /** That the sender chose, or the action's. */
  contractId: string;
  /** Null: the contract's id. */
  name: string | null;
  projectUid: string;
  templateId: string;
  /** Version of the template. */
  tag: string;
  ledgerUid: string;
  /** The contract's address on its ledger. */
  nativeReference: string;
  /** Who sent the action; owns the contract. */
  deployedBy: { serviceId: string; appId: string };
}

/** A new template. */
export interface NewTemplate {
  /** Generated when absent. */
  templateId?: string;
  projectUid: string;
  name: string;
  description?: string | null;
  owner?: string;
}

/** A new version of a template: compiled output. */
export interface NewSpecification {
  templateUid: string;
  /** Version: stands after the colon in `templateId:version`. */
  tag: string;
  description?: string | null;
  technology: string;
  language?: string | null;
  compilerVersion?: string | null;
  /** compilationSpecification as given, JSON text. */
  compilation: string;
  /** As the adapter normalised it; empty for a chaincode package without metadata. */
  interface: string;
  /** Checked by the caller, by the technology's description. */
  code: string;
}

/** A new version of a template: sources that our compiler is to be given. */
export interface NewSourceSpecification
  extends Omit<NewSpecification, 'compilation' | 'interface' | 'code' | 'language' | 'compilerVersion'> {
  /** Standard JSON. */
  source: string;
  /** Which contract of the sources; null: the only one. */
  target: string | null;
}

/**
 * The records that there are. Whatever is created is created in the caller's transaction, with its resource; who may do it
 * was decided before. Pointers of problems name the members of the inputs here.
 */
export interface Registry {
  /** @throws Problem `invalid-request`, `already-exists` */
  createLedger(tx: Tx, input: NewLedger): Promise<LedgerRecord>;
  /** @throws Problem `invalid-request`, `not-found`, `conflict` (the chain id of a ledger does not change) */
  updateLedger(tx: Tx, uid: string, change: LedgerChange): Promise<LedgerRecord>;
  /** @throws Problem `invalid-request`, `not-found`, `already-exists` */
  addNode(tx: Tx, ledgerUid: string, input: NewNode): Promise<NodeRecord>;
  /** @throws Problem `not-found` */
  removeNode(tx: Tx, nodeUid: string): Promise<void>;
  /** From memory, as of this call or later: a change is seen at the next call, on every server. */
  ledgerByUid(uid: string): Promise<LedgerRecord | null>;
  /**
   * The project's own ledger of that id, else the deployer's. Without a project: the deployer's, else the first
   * that any project has.
   */
  ledgerByLedgerId(ledgerId: string, projectUid?: string): Promise<LedgerRecord | null>;
  /** Where a transaction of a ledger can be looked at, for somebody of a project; from memory. Null: nowhere known. */
  explorerLink(ledgerUid: string, projectUid: string, locator: string): Promise<string | null>;
  /** Those of the project and those of the deployer (null: only these), in order of creation, active or not. */
  listLedgers(projectUid: string | null): Promise<LedgerRecord[]>;

  /** @throws Problem `invalid-request` */
  createGroup(tx: Tx, input: NewContractGroup): Promise<ContractGroupRecord>;
  group(groupId: string): Promise<ContractGroupRecord | null>;
  /** Sortable by groupId, name, createdAt. @throws Problem `invalid-request` (unknown sort key) */
  listGroups(projectUid: string, query: Paging): Promise<ListResult<ContractGroupRecord>>;
  /** @throws Problem `invalid-request`, `not-found` (group), `already-exists` */
  createContract(tx: Tx, input: NewContract): Promise<ContractRecord>;
  /**
   * Registers a deployed contract in the transaction that settles its action: in the group of its template. When its
   * id was taken meanwhile, under the action's id. Answers why it cannot be registered, or null.
   */
  registerDeployed(tx: Tx, contract: DeployedContract): Promise<ProblemDocument | null>;
  /** The project's contract of that id. */
  contract(projectUid: string, contractId: string): Promise<ContractRecord | null>;
  /** Sortable by contractId, name, ledgerId, nativeReference, createdAt. @throws Problem `invalid-request` */
  listContracts(groupId: string, query: Paging): Promise<ListResult<ContractRecord>>;

  /** @throws Problem `invalid-request`, `already-exists` */
  createTemplate(tx: Tx, input: NewTemplate): Promise<TemplateRecord>;
  template(projectUid: string, templateId: string): Promise<TemplateRecord | null>;
  /** Sortable by id, templateId, name, createdAt. @throws Problem `invalid-request` */
  listTemplates(projectUid: string, query: Paging): Promise<ListResult<TemplateRecord>>;
  /** @throws Problem `invalid-request`, `not-found` (template), `already-exists` (tag) */
  createSpecification(tx: Tx, input: NewSpecification): Promise<SpecificationRecord>;
  specification(templateUid: string, tag: string): Promise<SpecificationRecord | null>;
  /** All versions of a template, oldest first. */
  listSpecifications(templateUid: string): Promise<SpecificationRecord[]>;
}
