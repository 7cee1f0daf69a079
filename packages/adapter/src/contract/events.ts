import type { Head } from './confirm.ts';
import type { JsonObject } from './values.ts';

/**
 * How far a contract's events were read: all events of the blocks below `height`, and the first `index` events of the
 * block at `height` (all of them if `index` is absent). `hash` is any text with which the adapter identifies the
 * position. Absent: the position did not come from the adapter.
 */
export interface EventPosition extends Pick<Head, 'height'>, Partial<Pick<Head, 'hash'>> {
  index?: number;
}

export interface ContractEventsRequest {
  /**
   * `address` as `normaliseAddress` returned it, `interface` as `readInterface` returned it. No `interface`: the host
   * has none.
   */
  contract: { address: string; interface?: string };
  /**
   * Where the last page ended. Null: return no events, only the newest block at confirmation depth as `after`, so that
   * the host can read on from there.
   */
  after: EventPosition | null;
  /** Maximum number of events on the page, at least 1. */
  limit: number;
}

/**
 * The next events in the ledger's order. Only from blocks at the ledger's confirmation depth, so that no event is ever
 * undone.
 */
export interface ContractEvents {
  events: ContractEvent[];
  /** The position after these events and after all blocks that were searched without a match. */
  after: EventPosition;
  /**
   * Height of the newest block at confirmation depth. It is lower than the request's `after` if the ledger, or the
   * queried node, has not reached that block yet.
   */
  newest: number;
  /**
   * More events at confirmation depth are available, so request the next page immediately. `after` must have advanced.
   */
  more: boolean;
  /** The chain has another block at the request's `after`. The page contains no events, and reading stops. */
  lost?: boolean;
}

/** An event that a contract emitted in a successful transaction. */
export interface ContractEvent {
  /** The same on every read, and unique on the ledger. */
  id: string;
  height: number;
  blockHash: string;
  txId: string;
  /** Block time in milliseconds since the epoch; absent if the ledger has none. */
  time?: number;
  /** Name from the interface or from the ledger itself; absent if neither has one. */
  name?: string;
  /** Decoded with the interface, or the JSON that the contract wrote; absent if it cannot be decoded. */
  args?: JsonObject;
  /** The event in the ledger's own format. */
  raw: JsonObject;
  /** The content is too long, so that `args` is absent and `raw` is empty; see `withoutLongContent`. */
  contentOmitted?: true;
}
