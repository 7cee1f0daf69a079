import type { Principal } from '@ledger-ops/auth';
import type { IdempotencyClaim } from '@ledger-ops/store';

/** A project's subscription to the events of a contract. */
export interface ContractSubscriptionView {
  id: string;
  contractId: string;
  ledgerId: string;
  /** Names of the subscribed events; null means all events. */
  events: string[] | null;
  status: 'ACTIVE' | 'PAUSED' | 'STOPPED';
  /** Why the subscription was stopped, or that its first block does not exist yet. Null otherwise. */
  reason: string | null;
  /** Height of the newest block that was read. */
  blockHeight: number;
  /**
   * Number of blocks that had the required depth but were not read yet, as of the last read. Null if the subscription
   * was never read, or was paused after the last read.
   */
  blocksBehind: number | null;
  /** When the current series of failed reads began, and the last error; null if the last read succeeded. */
  failingSince: number | null;
  lastError: string | null;
  createdAt: number;
}

export interface NewContractSubscription {
  contractId: string;
  events: string[] | null;
  /**
   * Height of the first block to read. If null, the subscription starts after the newest block that has the required
   * depth.
   */
  fromBlock: number | null;
}

/** An update. Absent members keep their values. */
export interface ContractSubscriptionChange {
  /** A paused subscription is not read. When it becomes active again, it continues where it stopped. */
  status?: 'ACTIVE' | 'PAUSED';
  /** Applies to events that are read after the change. */
  events?: string[] | null;
}

/** Totals for the installation, by ledger and status. */
export type ContractEventState = {
  ledgerId: string;
  status: string;
  count: number;
  /** Largest lag of one subscription, in blocks. */
  behind: number;
  /**
   * When the subscription that has been late longest became late; null if none is late. A subscription is late if it is
   * behind the newest block that has the required depth, if it fails, or if no server reads it.
   */
  since: number | null;
}[];

/** A late or stopped subscription. */
export interface LateSubscription {
  id: string;
  /** Null if the project is deleted. */
  projectId: string | null;
  contractId: string;
  ledgerId: string;
  status: ContractSubscriptionView['status'];
  reason: string | null;
  blockHeight: number;
  /** When the subscription became late (see `since` above). Null if it was not late when it was stopped. */
  lateSince: number | null;
  lastError: string | null;
}

/** Subscriptions of the caller's project. For subscriptions of other projects, methods throw Problem `not-found`. */
export interface ContractSubscriptions {
  /** @throws Problem `unsupported-operation`, `unknown-event`, `conflict`, and the errors of an unreachable ledger */
  create(
    principal: Principal,
    subscription: NewContractSubscription,
    claim?: IdempotencyClaim,
  ): Promise<ContractSubscriptionView>;
  list(principal: Principal): Promise<ContractSubscriptionView[]>;
  get(principal: Principal, id: string): Promise<ContractSubscriptionView>;
  /** @throws Problem `conflict` if the subscription was stopped; `unknown-event` */
  update(
    principal: Principal,
    id: string,
    change: ContractSubscriptionChange,
  ): Promise<ContractSubscriptionView>;
  /**
   * Lists late and stopped subscriptions of all projects, for callers that may read the installation. Those that have
   * been late longest come first.
   */
  late(principal: Principal): Promise<LateSubscription[]>;
  /** Deletes a subscription. Events that were already read are still delivered. */
  delete(principal: Principal, id: string): Promise<void>;
}
