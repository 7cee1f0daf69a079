import type { Backoff } from '@ledger-ops/backoff';

/** How long a session waits and how often it looks, in milliseconds. */
export interface Timing {
  nodes: {
    /** For which nothing is asked of a node that failed, as long as another works. */
    backoff: Backoff;
    /** Before the next node, or the only one again, is asked. */
    nextTry: number;
  };
  heads: {
    /** Between two looks for a new block. */
    poll: number;
    /** Between two looks while nothing is waited for. */
    idle: number;
    /** For which something is taken to be waited for after it was sent or asked about. */
    busyFor: number;
    /** Between two looks at nodes that fail. */
    failed: Backoff;
  };
  /** Between two times that all nodes are asked for what the first one does not show. */
  otherNodes: number;
}

/** The times of a session that is given none. */
export const defaultTiming: Timing = {
  nodes: { backoff: { first: 250, longest: 30_000 }, nextTry: 25 },
  heads: { poll: 400, idle: 4_000, busyFor: 60_000, failed: { first: 500, longest: 5_000 } },
  otherNodes: 5_000,
};
