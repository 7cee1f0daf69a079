import type { Head } from './confirm.ts';
import type { JsonObject } from './values.ts';

/**
 * A position in a contract's events: after all events of the blocks below `height`, and after the first `index`
 * events of the block at `height` (all of them if `index` is absent). `hash` is any string with which the
 * adapter identifies the position. `hash` is absent if the position did not come from the adapter.
 */
export interface EventPosition extends Pick<Head, 'height'>, Partial<Pick<Head, 'hash'>> {
  index?: number;
}

export interface ContractEventsRequest {
  /**
   * `address` as `normaliseAddress` returned it, `interface` as `readInterface` returned it. `interface` is
   * absent if the host has none.
   */
  contract: { address: string; interface?: string };
  /**
   * The position at which the last page ended. If null, return no events, only the newest block at confirmation depth as
   * `after`. The host reads on from there.
   */
  after: EventPosition | null;
  /** Maximum number of events on the page, at least 1. */
  limit: number;
}

/**
 * The next events in the ledger's order. Include only events of blocks at the ledger's confirmation depth,
 * because the host never removes an event.
 */
export interface ContractEvents {
  events: ContractEvent[];
  /** The position after these events, and after all blocks that were searched without finding an event. */
  after: EventPosition;
  /**
   * Height of the newest block at confirmation depth. This height is below the request's `after` if the
   * ledger or the queried node has not reached that block yet.
   */
  newest: number;
  /**
   * Whether more events at confirmation depth are available. If true, `after` must have advanced, and the
   * host requests the next page immediately.
   */
  more: boolean;
  /**
   * Whether the chain has another block at the request's `after`. If so, the page contains no events, and
   * reading stops.
   */
  lost?: boolean;
}

/** An event that a contract emitted in a successful transaction. */
export interface ContractEvent {
  /** Id of the event: unique on the ledger, and the same each time the event is read. */
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
  /**
   * Whether the content is too long. If so, `args` is absent and `raw` is empty; see `withoutLongContent`.
   */
  contentOmitted?: true;
}
