import type { Backoff } from '@ledger-ops/backoff';

/** How long a session waits and how often it looks, in milliseconds unless a line says blocks. */
export interface Timing {
  nodes: {
    /** For which nothing is asked of a node that failed, as long as another works. */
    backoff: Backoff;
    /** Before the next node, or the only one again, is asked: at least, and how much chance adds. */
    nextTry: { least: number; random: number };
    /** For which nothing is sent to a node that does not keep what it takes, as long as another works. */
    unreliable: Backoff;
    /** After which a node is asked again for what it does not show: behind its address may be several. */
    secondLook: number;
    /** After which a connection without use is closed. */
    keepAlive: number;
  };
  heads: {
    /** Between two looks for a new block: half the block time, within these. */
    poll: { shortest: number; longest: number };
    /** While nothing is waited for the time between two looks is so many times as long, up to this. */
    idle: { factor: number; longest: number };
    /** For which something is taken to be waited for after it was sent or asked about. */
    busyFor: number;
    /** Between two looks beside a live subscription, at least. */
    subscribedPoll: number;
    /** After which a lost subscription is made again. */
    reconnect: number;
  };
  /** For which head and fees are used as they were read. */
  freshFor: number;
  /** Blocks for which an address that had no code is taken to have none. */
  codelessFor: number;
  confirm: {
    /** For which a node that does not have the block read last is taken to be behind, not on another branch. */
    behind: number;
    /**
     * Between two looks whether nonces were taken by something else: after so many blocks; after the few blocks when
     * this much time passed as well; or after the longest time, whatever the blocks.
     */
    nonces: { blocks: number; few: { blocks: number; after: number }; longest: number };
    /** Blocks that are walked one by one; beyond that receipts are asked for directly. */
    longestWalk: number;
  };
}

/** The times of a session that is given none. */
export const defaultTiming: Timing = {
  nodes: {
    backoff: { first: 250, longest: 30_000 },
    nextTry: { least: 10, random: 40 },
    unreliable: { first: 2 * 60_000, longest: 32 * 60_000 },
    secondLook: 250,
    keepAlive: 30_000,
  },
  heads: {
    poll: { shortest: 50, longest: 4_000 },
    idle: { factor: 4, longest: 15_000 },
    busyFor: 30_000,
    subscribedPoll: 5_000,
    reconnect: 2_000,
  },
  freshFor: 3_000,
  codelessFor: 64,
  confirm: {
    behind: 15_000,
    nonces: { blocks: 16, few: { blocks: 4, after: 1_000 }, longest: 15_000 },
    longestWalk: 64,
  },
};
