import type { Backoff } from '@ledger-ops/base/backoff';

/** Times and intervals of a session, in milliseconds. */
export interface Timing {
  nodes: {
    /** How long a failed node is skipped while another one works. */
    backoff: Backoff;
    /** Delay before the next node (or the same one again) is queried. */
    nextTry: number;
    /** Total time that started work may wait for rate limits, if there is no other node. */
    limited: number;
  };
  heads: {
    /** Interval between polls for a new block. */
    poll: number;
    /** Polling interval while nothing is expected. */
    idle: number;
    /** How long the session counts as busy after sending or querying something. */
    busyFor: number;
    /** Polling interval of failing nodes. */
    failed: Backoff;
  };
  /** Interval at which all nodes are queried for data that the first one does not return. */
  otherNodes: number;
  /** Time limit of `confirm` for reading blocks, and for reading outcomes after that. The next call reads the rest. */
  reading: number;
  /** How long all nodes must fail to read a transaction before its events are skipped. */
  unreadableEvents: number;
  /** Time limit for reading a page of events, because a node's answers determine the number of requests. */
  eventPage: number;
}

/** The default times of a session. */
export const defaultTiming: Timing = {
  nodes: { backoff: { first: 250, longest: 30_000 }, nextTry: 25, limited: 10_000 },
  heads: { poll: 400, idle: 4_000, busyFor: 60_000, failed: { first: 500, longest: 5_000 } },
  otherNodes: 5_000,
  reading: 5_000,
  unreadableEvents: 600_000,
  eventPage: 60_000,
};
