import type { Principal } from '@ledger-ops/auth';
import type { IdempotencyClaim } from '@ledger-ops/store';

/** A project wants to be told what a contract tells. */
export interface ContractSubscriptionView {
  id: string;
  contractId: string;
  ledgerId: string;
  /** Names of events; null: all. */
  events: string[] | null;
  status: 'ACTIVE' | 'PAUSED' | 'STOPPED';
  /** Why it was stopped, or, where its first block is still to come, that it is; null: neither. */
  reason: string | null;
  /** Of the newest block that was looked through. */
  blockHeight: number;
  /** Blocks at depth that were not looked through at the last reading; null: it was not read, or was paused since. */
  blocksBehind: number | null;
  /** Since when it could not be read, and why it could not last; null: it could. */
  failingSince: number | null;
  lastError: string | null;
  createdAt: number;
}

export interface NewContractSubscription {
  contractId: string;
  events: string[] | null;
  /** Height of the first block; null: those behind the newest one that is as deep as the ledger asks. */
  fromBlock: number | null;
}

/** Absent members stay. */
export interface ContractSubscriptionChange {
  /** A paused one is not read, and goes on where it stands. */
  status?: 'ACTIVE' | 'PAUSED';
  /** Of what is read from then on. */
  events?: string[] | null;
}

/** Of the whole installation, by ledger and status. */
export type ContractEventState = {
  ledgerId: string;
  status: string;
  count: number;
  /** Most blocks that one of them is behind. */
  behind: number;
  /** Since when one of them has not reached the ledger's newest block at depth; null: all have. */
  since: number | null;
}[];

/** A subscription of any project that is not up to date. */
export interface LateSubscription {
  id: string;
  /** Null: the project is deleted. */
  projectId: string | null;
  contractId: string;
  ledgerId: string;
  status: ContractSubscriptionView['status'];
  reason: string | null;
  blockHeight: number;
  /** Since when it has not reached the ledger's newest block at depth; null: it was stopped before it was late. */
  lateSince: number | null;
  lastError: string | null;
}

/** Subscriptions of the caller's project. All throw Problems; `not-found` for what is not the project's. */
export interface ContractSubscriptions {
  /** @throws Problem `unsupported-operation`, `unknown-event`, `conflict`, and those of a ledger that cannot be asked */
  create(
    principal: Principal,
    subscription: NewContractSubscription,
    claim?: IdempotencyClaim,
  ): Promise<ContractSubscriptionView>;
  list(principal: Principal): Promise<ContractSubscriptionView[]>;
  get(principal: Principal, id: string): Promise<ContractSubscriptionView>;
  /** @throws Problem `conflict`: it was stopped; `unknown-event` */
  update(
    principal: Principal,
    id: string,
    change: ContractSubscriptionChange,
  ): Promise<ContractSubscriptionView>;
  /** Of all projects, for who may read the installation: those that are late or were stopped, the latest first. */
  late(principal: Principal): Promise<LateSubscription[]>;
  /** Events that are on their way are still delivered. */
  delete(principal: Principal, id: string): Promise<void>;
}
