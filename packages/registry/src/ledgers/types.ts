import type { Paging } from '@ledger-ops/base';
import type { LedgerProperties } from '../types.ts';

/** A ledger as callers see it. */
export interface LedgerView {
  id: number;
  /** Uid of the ledger. It is unique, unlike `ledgerId`, which is unique only within a project. */
  uid: string;
  ledgerId: string;
  /** Id of its project; `system` for a ledger of the deployer. */
  projectId: string;
  name: string;
  technology: string;
  /** The technology's display name. */
  technologyTitle: string;
  type: string;
  active: boolean;
  featured: boolean;
  /** Property values by name. Secrets are null. */
  properties: LedgerProperties;
}

/** A node as callers see it. */
export interface NodeView {
  id: number;
  nodeId: string;
  ledgerId: string;
  name: string;
  client: string | null;
  /** Scheme, host and port; `/…` stands for a path, query or credentials. */
  uri: string;
  /** Property values by name. Secrets are null. */
  properties: LedgerProperties;
}

/** An explorer as callers see it. */
export interface ExplorerView {
  id: number;
  explorerId: string;
  ledgerId: string;
  nodeId: string | null;
  /** Id of its project; `system` for an explorer of the deployer. */
  projectId: string;
  name: string;
  implementations: ExplorerImplementation[];
}

/** One implementation of an explorer, such as its link templates. */
export interface ExplorerImplementation {
  type: string;
  properties: Record<string, string>;
}

/** Properties in a request, by name. */
type GivenProperties = Readonly<Record<string, unknown>>;

/** A new ledger. It belongs to the caller's project if `projectId` is absent, and to the deployer if it is `system`. */
export interface LedgerInput {
  /** Generated when absent. */
  ledgerId?: string | undefined;
  name: string;
  technology: string;
  properties?: GivenProperties | undefined;
  type?: string | undefined;
  active?: boolean | undefined;
  featured?: boolean | undefined;
  projectId?: string | undefined;
  /** The ledger's first nodes; the first one is the default node. */
  nodes?: readonly Omit<NodeInput, 'ledgerId'>[] | undefined;
}

/** A change to a ledger. Absent members stay unchanged; `properties` replaces all properties. */
export type LedgerUpdate = {
  [Member in 'name' | 'properties' | 'type' | 'active' | 'featured']?: LedgerInput[Member] | undefined;
};

export interface NodeInput {
  /** Generated when absent. */
  nodeId?: string | undefined;
  ledgerId: string;
  /** Default: the node's id. */
  name?: string | undefined;
  client?: string | null | undefined;
  uri: string;
  properties?: GivenProperties | undefined;
  /** Whether the node becomes the ledger's default node. The first node of a ledger always does. */
  default?: boolean | undefined;
}

/**
 * A change to a node. Absent members stay unchanged. The address also stays unchanged if `uri` has the value
 * that responses contain.
 */
export type NodeUpdate = {
  [Member in 'name' | 'client' | 'uri' | 'properties' | 'default']?: NodeInput[Member] | undefined;
};

/** An implementation in a request. */
export interface ImplementationInput {
  type: string;
  properties?: GivenProperties | undefined;
}

export interface ExplorerInput {
  /** Generated when absent. */
  explorerId?: string | undefined;
  ledgerId: string;
  nodeId?: string | null | undefined;
  name: string;
  projectId?: string | undefined;
  implementations?: readonly ImplementationInput[] | undefined;
}

/** A change to an explorer. Absent members stay unchanged. */
export interface ExplorerUpdate {
  name?: string | undefined;
  nodeId?: string | null | undefined;
  implementations?: readonly ImplementationInput[] | undefined;
}

/** Filter for the records of a project. Lists also contain the deployer's records. */
export interface ProjectQuery extends Paging {
  /** Id of the project; default: the caller's. */
  projectId?: string | undefined;
  /** Returns only the record with this id; all records if empty or absent. */
  resourceId?: string | undefined;
}

/** A node's report of itself. */
export interface NodeReport {
  /** Decimal text; null if the technology has no chain ids. */
  chainId: string | null;
  /** The network, for technologies without chain ids. All nodes of a ledger must report the same network. */
  network?: string;
  /** The network of the ledger's other nodes, if one of them responds. */
  expected?: string;
}

/** The ledger, as passed to a plugin that queries its nodes. */
export interface ProbedLedger {
  /** Absent while the ledger is not registered or has no nodes: plugins may refuse to open a ledger without nodes. */
  uid?: string;
  ledgerId: string;
  /** Null if the deployer owns it. */
  projectUid: string | null;
  technology: string;
  /**
   * Whether the nodes must match the ledger's `chain_id`. Otherwise, all nodes must be on the same network.
   */
  hasChainId: boolean;
  properties: LedgerProperties;
}

/**
 * Queries a node before it is registered.
 * @throws Problem if the node cannot be reached or its address is not allowed
 */
export type NodeProbe = (
  ledger: ProbedLedger,
  /** Errors refer to the node by this id. */
  node: { nodeId: string; uri: string; properties: LedgerProperties },
) => Promise<NodeReport>;
