import type { JsonObject } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import type { ProblemDocument } from '@ledger-ops/base';

/** Kinds of events, as they are filtered by. */
export const actionEventTypes = [
  'action.accepted',
  'action.sent',
  'action.continued',
  'action.cancel_requested',
  'action.hurry_requested',
  'action.succeeded',
  'action.failed',
  'action.cancelled',
  'action.retracted',
  'action.reinstated',
] as const;
export type ActionEventType = (typeof actionEventTypes)[number];
export const contractEventType = 'contract.event';
/** Of the event that is none, by which a receiver is tried. */
export const webhookTestType = 'webhook.test';
export const eventTypes = [...actionEventTypes, contractEventType] as const;
export type EventType = (typeof eventTypes)[number];

/** An event tells of its action only facts that change no more, so that it says the same whenever it is told. */
export interface EventData {
  actionId: string;
  /** Null: the project is deleted. */
  projectId: string | null;
  walletId: string;
  ledgerId: string;
  intent: string;
  tag: string | null;
  /** Milliseconds since the epoch. */
  createdAt: number;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  /** Who asked for it; null: the service itself. */
  requestedBy: { serviceId: string; appId: string } | null;
  /** The rest is of ends, and null before. */
  locator: string | null;
  contractAddress: string | null;
  blockHeight: number | null;
  /** In the smallest unit of the ledger's currency, decimal text. */
  fee: string | null;
  problem: ProblemDocument | null;
}

/** Something that a contract told, to which the project is subscribed. */
export interface ContractEventData {
  subscriptionId: string;
  /** Null: the project is deleted. */
  projectId: string | null;
  contractId: string;
  contractAddress: string;
  ledgerId: string;
  /** Its own on the ledger: of two subscriptions both have it. */
  ledgerEventId: string;
  /** Decoded by the contract's interface; null: that does not have it. */
  name: string | null;
  args: JsonObject | null;
  /** As the ledger has it. */
  raw: JsonObject;
  transactionId: string;
  blockHeight: number;
  blockHash: string;
  /** Milliseconds since the epoch; null: the ledger does not say. */
  blockTime: number | null;
}

/** Members of every event. */
interface Placed {
  /** Its place in the stream of all: to go on behind it. */
  place: number;
  /** The same wherever and however often it is told. */
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Of the action or subscription: its events are told one after the other. */
  orderedBy: string;
}

/** One change of an action. */
export interface ActionEvent extends Placed {
  type: ActionEventType;
  data: EventData;
}

/** One event of a contract. */
export interface ToldEvent extends Placed {
  type: typeof contractEventType;
  data: ContractEventData;
}

export type ServiceEvent = ActionEvent | ToldEvent;

/** Which events are of interest: those that meet all that is given. */
export interface EventFilter {
  types?: readonly EventType[] | undefined;
  /** Ids of ledgers. */
  ledgers?: readonly string[] | undefined;
  /** Ids of sending wallets: events of contracts have none. */
  wallets?: readonly string[] | undefined;
}

/** Events after a place, in the order of places. */
export interface EventPart {
  events: ServiceEvent[];
  /** Where to go on, also when nothing fitted. */
  next: number;
  /** False: that was the newest. */
  more: boolean;
}

/**
 * Changes of actions, and what contracts told, as events. Each was written in the transaction of its change, as a record of the
 * timeline; places are given after the commit, so that whoever went on from one has missed nothing.
 */
export interface EventLog {
  /** The newest place: where a stream without a past begins. */
  latest(): Promise<number>;
  /** @throws Problem `event-too-old`, `invalid-request` where nothing had that place yet */
  checkPlace(place: number): Promise<void>;
  /** Events of actions that the caller may see now, those of the overview, and of contracts that the caller may read. */
  visible(principal: Principal, filter: EventFilter, place: number): Promise<EventPart>;
  /** Events of one project. */
  ofProject(projectUid: string, filter: EventFilter, place: number): Promise<EventPart>;
  /** One of a project's events; undefined: there is none, or none any more. */
  byId(projectUid: string, id: string): Promise<ServiceEvent | undefined>;
  /** A place at or before everything that happened from a time on. @throws Problem `event-too-old` */
  placeAt(at: number): Promise<number>;
}
