import type { Technology } from '@ledger-ops/glo-core';

/** What exists: ledgers and nodes, contract groups and contracts, templates with their versions. */

/** Typed properties of a ledger, as JSON values by name (`chain_id`, `confirmations`, `plugin_tags` …). */
export type LedgerProperties = Readonly<Record<string, string | number | boolean | string[]>>;

export interface LedgerRecord {
  uid: string;
  id: number;
  ledgerId: string;
  /** Null: of the deployer, usable in every project. */
  projectUid: string | null;
  name: string;
  technology: Technology;
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
}

export interface ContractGroupRecord {
  groupId: string;
  projectUid: string;
  name: string;
  createdAt: number;
}

export interface ContractRecord {
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
  technology: Technology;
  language: string | null;
  compilerVersion: string | null;
  /** compilationSpecification as given, JSON text. */
  compilation: string;
  status: 'COMPILED' | 'PENDING' | 'FAILED';
  interface: string;
  code: string;
  checksum: string;
  createdAt: number;
  updatedAt: number;
}
