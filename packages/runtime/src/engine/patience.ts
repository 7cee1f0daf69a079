import type { Json } from '@ledger-ops/adapter';

/** Blocks that a transaction has to be mined in, and the milliseconds that they take at least. */
export const patienceBlocks = 4;
export const patienceTime = 10_000;
/** Milliseconds in their place where no block was made at all: some ledgers make none while nothing is to be done. */
export const idlePatience = 30_000;
/** Milliseconds in their place where some blocks were made, but not so many. */
export const slowPatience = 120_000;

/** A point in time, and how far the ledger was then, as far as it is known. */
export interface Moment {
  at: number;
  height: number | null;
}

/** How long a ledger has to take what was sent. */
export interface Patience {
  /** How often that time has passed between two moments. */
  times(since: Moment, until: Moment): number;
  /** Whether blocks were made in that time, so that a ledger that had room did not take it. */
  hadBlocks(since: Moment, until: Moment): boolean;
  /** Milliseconds after which a look at what is late is believed when it is confirmed by another. */
  settling: number;
  /** Whether what could not be done at the one moment may be tried again at the other. */
  again(since: Moment, until: Moment): boolean;
}

/** Blocks after which something is tried again, and the milliseconds that they take at least, or that are enough. */
const retryBlocks = 2;
const retryTime = 2_000;

/**
 * A ledger's patience; null: it has none, nothing is ever replaced.
 * @param replaceAfter the property `replace_after` in seconds; absent: counted in blocks and seconds
 */
export function patienceOf(replaceAfter: Json | undefined): Patience | null {
  if (typeof replaceAfter !== 'number') return inBlocks;
  return replaceAfter > 0 ? inTime(replaceAfter * 1_000) : null;
}

const inBlocks: Patience = {
  times(since, until) {
    const time = until.at - since.at;
    const blocks = blocksBetween(since, until);
    if (blocks === 0) return count(time, idlePatience);
    return Math.max(
      Math.min(count(blocks, patienceBlocks), count(time, patienceTime)),
      count(time, slowPatience),
    );
  },
  hadBlocks: (since, until) => blocksBetween(since, until) >= patienceBlocks,
  settling: patienceTime,
  again: retryOf(patienceTime),
};

function inTime(limit: number): Patience {
  return {
    times: (since, until) => count(until.at - since.at, limit),
    hadBlocks: () => true,
    settling: Math.min(limit, patienceTime),
    again: retryOf(limit),
  };
}

function retryOf(limit: number): Patience['again'] {
  return (since, until) => {
    const time = until.at - since.at;
    if (time >= Math.min(limit, patienceTime)) return true;
    return time >= Math.min(limit, retryTime) && blocksBetween(since, until) >= retryBlocks;
  };
}

function count(spent: number, each: number): number {
  return Math.max(0, Math.floor(spent / each));
}

/** None where it is not known, or the chain lost some. */
function blocksBetween(since: Moment, until: Moment): number {
  return since.height === null || until.height === null ? 0 : Math.max(0, until.height - since.height);
}
