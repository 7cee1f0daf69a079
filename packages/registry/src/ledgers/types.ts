import type { Principal } from '@ledger-ops/auth';
import type { Paging } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { LedgerProperties, ListResult } from '../types.ts';
import type { GivenProperty, PropertyView } from './properties/property-list.ts';

/** A ledger of section 2.9. */
export interface LedgerView {
  active: boolean;
  id: number;
  ledgerID: string;
  ledgerTechnology: { id: number; ledgerTechnologyID: string; name: string };
  name: string;
  /** Secret ones without a value. */
  properties: PropertyView[];
  resourceId: string;
  type: { name: string };
  /** Ours: no other ledger has it, where those of several projects have the same id. */
  uid: string;
  /** Ours: id of its project; `system` for one of the deployer. */
  projectId: string;
  /** Ours: whether it is listed among the featured. */
  featured: boolean;
}

/** A node of section 2.9. */
export interface NodeView {
  client: string | null;
  id: number;
  name: string;
  nodeID: string;
  /** Secret ones without a value. */
  properties: PropertyView[];
  resourceId: string;
  /** Scheme, host and port; `/…` stands for a path, query or credentials. */
  uri: string;
  /** Ours. */
  ledgerID: string;
}

/** An explorer of section 2.9. */
export interface ExplorerView {
  explorerID: string;
  id: number;
  implementations: ImplementationView[];
  ledgerID: string;
  name: string;
  nodeID: string | null;
  resourceId: string;
  /** Ours: id of its project; `system` for one of the deployer. */
  projectId: string;
}

/** One way in which an explorer shows a ledger. */
export interface ImplementationView {
  id: number;
  properties: PropertyView[];
  type: { id: number; name: string };
}

/** A new ledger. Without a `projectId` it stands in the caller's project; `system` makes one of the deployer. */
export interface LedgerInput {
  ledgerID?: string | null;
  name: string;
  ledgerTechnology: { ledgerTechnologyID: string };
  properties?: readonly GivenProperty[] | null;
  type?: { name: string } | null;
  active?: boolean | null;
  featured?: boolean | null;
  projectId?: string | null;
  /** Ours: nodes that it begins with, default first. */
  nodes?: readonly Omit<NodeInput, 'ledgerID'>[] | null;
}

/** A change to a ledger; members that are absent stay. `properties`, when given, replaces all. */
export type LedgerUpdate = Partial<Pick<LedgerInput, 'name' | 'properties' | 'type' | 'active' | 'featured'>>;

/** A new node. */
export interface NodeInput {
  nodeID?: string | null;
  ledgerID: string;
  name?: string | null;
  client?: string | null;
  options: { uri: string };
  properties?: readonly GivenProperty[] | null;
  /** Ours: makes it the ledger's default node. The first node is it anyway. */
  default?: boolean | null;
}

/** A change to a node; members that are absent stay. An `uri` as it was answered stays, too. */
export interface NodeUpdate {
  name?: string | null;
  client?: string | null;
  options?: { uri: string } | null;
  uri?: string | null;
  properties?: readonly GivenProperty[] | null;
  default?: boolean | null;
}

/** One way in which an explorer shows a ledger, as a caller gives it. */
export interface ImplementationInput {
  type: { name: string };
  properties?: readonly GivenProperty[] | null | undefined;
}

/** A new explorer. */
export interface ExplorerInput {
  explorerID?: string | null;
  ledgerID: string;
  nodeID?: string | null;
  name: string;
  projectId?: string | null;
  implementations?: readonly ImplementationInput[] | null;
}

/** A change to an explorer; members that are absent stay. */
export type ExplorerUpdate = Partial<Pick<ExplorerInput, 'name' | 'nodeID' | 'implementations'>>;

/** Which records of a project; those of the deployer are listed beside its own. */
export interface ProjectQuery extends Paging {
  /** Id of the project; absent: the caller's. */
  project?: string | undefined;
  /** Exactly this one; empty or absent: all. */
  resourceId?: string | undefined;
}

/** Ledgers, nodes and explorers for a caller. Every function throws Problem `not-found` and `not-permitted`, too. */
export interface LedgerNodes {
  ledgers: {
    /** Sortable by all scalar members. @throws Problem `invalid-request` */
    listActive(principal: Principal, query: ProjectQuery): Promise<ListResult<LedgerView>>;
    /** The active ones among the featured. */
    listFeatured(principal: Principal, query: ProjectQuery): Promise<ListResult<LedgerView>>;
    get(principal: Principal, ledgerId: string): Promise<LedgerView>;
    /** @throws Problem `invalid-request`, `already-exists`, `conflict` (a node on another chain) */
    create(principal: Principal, input: LedgerInput, claim?: IdempotencyClaim): Promise<LedgerView>;
    /** @throws Problem `invalid-request`, `conflict` */
    update(principal: Principal, ledgerId: string, input: LedgerUpdate): Promise<LedgerView>;
    /** With its nodes. @throws Problem `in-use` */
    delete(principal: Principal, ledgerId: string): Promise<void>;
  };
  nodes: {
    /** Sortable by all scalar members. @throws Problem `invalid-request` */
    list(principal: Principal, query: ProjectQuery): Promise<ListResult<NodeView>>;
    listOfLedger(principal: Principal, ledgerId: string, query: ProjectQuery): Promise<ListResult<NodeView>>;
    get(principal: Principal, nodeId: string): Promise<NodeView>;
    defaultOf(principal: Principal, ledgerId: string): Promise<NodeView>;
    /** Needs `ledger:manage` on the ledger. @throws Problem `invalid-request`, `already-exists`, `conflict` */
    create(principal: Principal, input: NodeInput, claim?: IdempotencyClaim): Promise<NodeView>;
    /** @throws Problem `invalid-request`, `conflict` */
    update(principal: Principal, nodeId: string, input: NodeUpdate): Promise<NodeView>;
    /** @throws Problem `in-use` */
    delete(principal: Principal, nodeId: string): Promise<void>;
  };
  explorers: {
    /** Sortable by all scalar members. @throws Problem `invalid-request` */
    list(principal: Principal, query: ProjectQuery): Promise<ListResult<ExplorerView>>;
    get(principal: Principal, explorerId: string): Promise<ExplorerView>;
    /** The first of the caller's project, else of the deployer. */
    defaultOf(principal: Principal, ledgerId: string): Promise<ExplorerView>;
    /** @throws Problem `invalid-request`, `already-exists` */
    create(principal: Principal, input: ExplorerInput, claim?: IdempotencyClaim): Promise<ExplorerView>;
    /** @throws Problem `invalid-request` */
    update(principal: Principal, explorerId: string, input: ExplorerUpdate): Promise<ExplorerView>;
    delete(principal: Principal, explorerId: string): Promise<void>;
  };
}

/** A node's report of itself. */
export interface NodeReport {
  /** As decimal text; null where the technology has none. */
  chainId: string | null;
  /** The network, where the technology has no chain ids: nodes of one ledger say the same. */
  network?: string;
  /** The network of the ledger's other nodes, as far as one of them answers. */
  expected?: string;
}

/** A ledger as far as it is known when its nodes are asked. */
export interface ProbedLedger {
  /** Absent while it is not recorded. */
  uid?: string;
  ledgerId: string;
  /** Null: of the deployer. */
  projectUid: string | null;
  technology: string;
  /** Its nodes are held against its `chain_id`; else against each other's network. */
  hasChainId: boolean;
  properties: LedgerProperties;
}

/** Asks a node, before it is recorded. @throws Problem when it cannot be reached, or is not to be */
export type NodeProbe = (
  ledger: ProbedLedger,
  /** Its id here is what refusals call it. */
  node: { nodeId: string; uri: string; properties: LedgerProperties },
) => Promise<NodeReport>;
