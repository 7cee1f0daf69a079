import type { JsonObject } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import type { ProblemDocument } from '@ledger-ops/base';

/** Types of action events, as used in filters. */
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
/** Type of the event that tests whether a receiver accepts deliveries. */
export const webhookTestType = 'webhook.test';
export const eventTypes = [...actionEventTypes, contractEventType] as const;
export type EventType = (typeof eventTypes)[number];

/**
 * Data of an action event. Contains only values that never change, so that an event is the same whenever it is read.
 */
export interface EventData {
  actionId: string;
  /** Null if the project is deleted. */
  projectId: string | null;
  walletId: string;
  ledgerId: string;
  intent: string;
  tag: string | null;
  /** Milliseconds since the epoch. */
  createdAt: number;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  /** Who requested the action or change; null for the service itself. */
  requestedBy: { serviceId: string; appId: string } | null;
  /** `locator` and the members below are null until the action is final. */
  locator: string | null;
  contractAddress: string | null;
  blockHeight: number | null;
  /** In the smallest unit of the ledger's currency, as decimal text. */
  fee: string | null;
  problem: ProblemDocument | null;
}

export interface ContractEventData {
  subscriptionId: string;
  /** Null if the project is deleted. */
  projectId: string | null;
  contractId: string;
  contractAddress: string;
  ledgerId: string;
  /** Id of the event on the ledger. It is the same in all subscriptions. */
  ledgerEventId: string;
  /**
   * Name and arguments of the event, decoded with the contract's interface; null if the interface does not contain the
   * event.
   */
  name: string | null;
  args: JsonObject | null;
  /** The event as the ledger represents it. */
  raw: JsonObject;
  /**
   * True if `args` and `raw` are too large to be stored: read the event on the ledger by its transaction.
   * Absent if they are complete.
   */
  contentOmitted?: true;
  transactionId: string;
  blockHeight: number;
  blockHash: string;
  /** Milliseconds since the epoch; null if the ledger does not report it. */
  blockTime: number | null;
}

/** Members of every event. */
interface Placed {
  /** Position in the stream of all events. A reader that stops after this event continues from this position. */
  place: number;
  /** Event id. It is the same in every stream and on every delivery. */
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Id of the action or subscription. Events with the same id are delivered one after the other. */
  orderedBy: string;
}

/** One change of an action. */
export interface ActionEvent extends Placed {
  type: ActionEventType;
  data: EventData;
}

/** One event of a contract, for one subscription. */
export interface ToldEvent extends Placed {
  type: typeof contractEventType;
  data: ContractEventData;
}

export type ServiceEvent = ActionEvent | ToldEvent;

/** An event matches if it matches every member that is present. */
export interface EventFilter {
  types?: readonly EventType[] | undefined;
  /** Ids of ledgers. */
  ledgers?: readonly string[] | undefined;
  /** Ids of sending wallets; contract events have none. */
  wallets?: readonly string[] | undefined;
}

/** A batch of the events after a position, in the order of positions. */
export interface EventPart {
  events: ServiceEvent[];
  /** The position to continue from. It advances even if no event matched. */
  next: number;
  /** Whether more events follow; false if the newest event was read. */
  more: boolean;
}

/**
 * One stream of action changes and contract events. Each event is written as a timeline record in the transaction of
 * its change. Positions are assigned after the commit, so that a reader that continues from a position misses no event.
 */
export interface EventLog {
  /** Returns the newest position, where a stream of future events starts. */
  latest(): Promise<number>;
  /** @throws Problem `event-too-old`; `invalid-request` if the position was never assigned */
  checkPlace(place: number): Promise<void>;
  /** Returns events of actions that the caller may see in the overview, and of contracts that the caller may read. */
  visible(principal: Principal, filter: EventFilter, place: number): Promise<EventPart>;
  ofProject(projectUid: string, filter: EventFilter, place: number): Promise<EventPart>;
  /** Reads one event of a project; undefined if it does not exist or was removed. */
  byId(projectUid: string, id: string): Promise<ServiceEvent | undefined>;
  /**
   * Returns a position from which a reader gets all events since a time, and possibly earlier ones.
   * @throws Problem `event-too-old`
   */
  placeAt(at: number): Promise<number>;
}
