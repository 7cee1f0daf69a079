import type { Head } from './confirm.ts';
import type { JsonObject } from './values.ts';

/**
 * How far the events of a contract were read: all of the blocks below, and of this one the first `index`, or, without it, all.
 * `hash`, any text of the adapter's that tells the place, absent: the host has been to none.
 */
export interface EventPosition extends Pick<Head, 'height'>, Partial<Pick<Head, 'hash'>> {
  index?: number;
}

export interface ContractEventsRequest {
  /** `address` as `normaliseAddress` gave it, `interface` as `readInterface` did; absent: there is none. */
  contract: { address: string; interface?: string };
  /** Where the last page ended; null: the newest block at depth, for whoever wants what comes behind it. */
  after: EventPosition | null;
  /** The most events that are answered at once, at least one. */
  limit: number;
}

/** The next events, in the ledger's order: of blocks at the ledger's confirmation depth alone, so that none is ever undone. */
export interface ContractEvents {
  events: ContractEvent[];
  /** Behind these events, and what was looked through without finding any. */
  after: EventPosition;
  /** Height of the newest block at depth. Lower than the request's `after`: the ledger, or this node of it, has not come so far. */
  newest: number;
  /** There is more at depth already: ask again at once. Then `after` has moved on. */
  more: boolean;
  /** The chain has another block where the request's `after` stands: there are no events, and it is not read further. */
  lost?: boolean;
}

/** Something that a contract told with a transaction that succeeded. */
export interface ContractEvent {
  /** The same whenever it is read, and that of no other event of the ledger. */
  id: string;
  height: number;
  blockHash: string;
  txId: string;
  /** Of its block, milliseconds since the epoch; absent: the ledger does not say. */
  time?: number;
  /** As the interface has it, or the ledger itself; absent: neither names it. */
  name?: string;
  /** Decoded by the interface, or as JSON that the contract wrote; absent: it cannot be. */
  args?: JsonObject;
  /** As the ledger has it. */
  raw: JsonObject;
}
