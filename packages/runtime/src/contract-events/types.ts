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
  /**
   * Why the subscription was stopped, or a message that its first block does not exist yet. Null if neither
   * applies.
   */
  reason: string | null;
  /** Height of the newest block that was read. */
  blockHeight: number;
  /**
   * Unread blocks at the required depth after the last read. Null if the subscription was never read, or was
   * paused after the last read.
   */
  blocksBehind: number | null;
  /** Start of the current read failures, and the last error; null if the last read succeeded. */
  failingSince: number | null;
  lastError: string | null;
  createdAt: number;
}

export interface NewContractSubscription {
  contractId: string;
  events: string[] | null;
  /**
   * Height of the first block to read. If null, the subscription starts after the newest block at the
   * required depth.
   */
  fromBlock: number | null;
}

/** An update. Absent members keep their values. */
export interface ContractSubscriptionChange {
  /** A paused subscription is not read, and later continues where it stopped. */
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
   * When the longest late subscription became late; null if none is late. Late means behind the newest block
   * at the required depth, failing, or not read.
   */
  since: number | null;
}[];

/** Null if the project is deleted. */
export interface LateSubscription {
  id: string;
  /** Null if the project is deleted. */
  projectId: string | null;
  contractId: string;
  ledgerId: string;
  status: ContractSubscriptionView['status'];
  reason: string | null;
  blockHeight: number;
  /**
   * When the subscription became late (behind the newest block at the required depth, failing, or not read).
   * Null if it was not late when it was stopped.
   */
  lateSince: number | null;
  lastError: string | null;
}

/** Subscriptions of the caller's project. All methods throw Problems; `not-found` for subscriptions of other projects. */
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
   * Lists late and stopped subscriptions of all projects, for callers that may read the installation. Those that have been late
   * longest come first.
   */
  late(principal: Principal): Promise<LateSubscription[]>;
  /** Deletes a subscription. Events that were already read are still delivered. */
  delete(principal: Principal, id: string): Promise<void>;
}
