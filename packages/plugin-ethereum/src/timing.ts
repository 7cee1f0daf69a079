import type { Backoff } from '@ledger-ops/base/backoff';

/** Times and intervals of a session, in milliseconds unless the comment says blocks. */
export interface Timing {
  nodes: {
    /** How long a failed node is skipped while another one works. */
    backoff: Backoff;
    /** Delay between two tries of a request: a minimum plus a random time of up to `random`. */
    nextTry: { least: number; random: number };
    /** How long a node that drops transactions is skipped while another one works. */
    unreliable: Backoff;
    /**
     * Delay before a node is queried again for data that it did not return: its address may lead to several
     * nodes.
     */
    secondLook: number;
    /** How long a node that refused a batch gets smaller batches. */
    smallBatches: number;
    /** Idle time after which a connection is closed. */
    keepAlive: number;
  };
  heads: {
    /** Interval between polls for a new block: half the block time, within these bounds. */
    poll: { shortest: number; longest: number };
    /** While idle, the polling interval is multiplied by the factor, up to the maximum. */
    idle: { factor: number; longest: number };
    /** How long the session counts as busy after sending or querying something. */
    busyFor: number;
    /** Minimum polling interval while a subscription is connected. */
    subscribedPoll: number;
    /** Delay before a lost subscription is opened again. */
    reconnect: number;
  };
  /** How long a head and its fees are used. */
  freshFor: number;
  /** How long the lowest accepted fee is used after a refusal that names it, and after one that does not. */
  feeFloor: { named: number; guessed: number };
  /** How long transfers are assumed to cost 21,000 gas before a node is queried again (`transfer_gas: auto`). */
  transferGas: number;
  /** Number of blocks for which an address without code is assumed to have none. */
  codelessFor: number;
  /** How long one call may search blocks for a transaction of an account. */
  blockSearch: number;
  confirm: {
    /**
     * How long a node without the last read block is assumed to be behind. After that, it is assumed to be on
     * another branch.
     */
    behind: number;
    /**
     * Nonces are checked after `blocks` blocks; after `few.blocks` blocks once `few.after` has passed; at the latest
     * after `longest`.
     */
    nonces: { blocks: number; few: { blocks: number; after: number }; longest: number };
    /** Maximum number of blocks that are read one by one; beyond that, receipts are queried directly. */
    longestWalk: number;
  };
}

/** The default times of a session. */
export const defaultTiming: Timing = {
  nodes: {
    backoff: { first: 250, longest: 30_000 },
    nextTry: { least: 10, random: 40 },
    unreliable: { first: 2 * 60_000, longest: 32 * 60_000 },
    secondLook: 250,
    smallBatches: 10 * 60_000,
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
  feeFloor: { named: 600_000, guessed: 120_000 },
  transferGas: 10 * 60_000,
  codelessFor: 64,
  blockSearch: 5_000,
  confirm: {
    behind: 15_000,
    nonces: { blocks: 16, few: { blocks: 4, after: 1_000 }, longest: 15_000 },
    longestWalk: 64,
  },
};
