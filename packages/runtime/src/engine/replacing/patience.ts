import type { Json } from '@ledger-ops/adapter';
import type { Timing } from '../../timing.ts';

/** A point in time, and the ledger's height at that time, if known. */
export interface Moment {
  at: number;
  height: number | null;
}

/** Decides, for one ledger, whether transactions had enough time to be mined. */
export interface Patience {
  /** Returns the number of whole replacement intervals between two moments. */
  times(since: Moment, until: Moment): number;
  /** Whether the ledger created enough blocks between two moments to mine a transaction. */
  hadBlocks(since: Moment, until: Moment): boolean;
  /** Milliseconds for which an observation must stay true before the engine acts on it. */
  settling: number;
  /** Whether a replacement that could not be signed at `since` may be tried again at `until`. */
  again(since: Moment, until: Moment): boolean;
}

/**
 * Returns a ledger's patience; null if its transactions are never replaced.
 * @param replaceAfter the property `replace_after` in seconds; if absent, patience is counted in blocks and seconds
 */
export function patienceOf(replaceAfter: Json | undefined, timing: Timing): Patience | null {
  if (typeof replaceAfter !== 'number') return inBlocks(timing);
  return replaceAfter > 0 ? inTime(replaceAfter * 1_000, timing) : null;
}

function inBlocks(timing: Timing): Patience {
  const { patience, patienceBlocks, idlePatience, slowPatience } = timing;
  return {
    times(since, until) {
      const time = until.at - since.at;
      const blocks = blocksBetween(since, until);
      if (blocks === 0) return count(time, idlePatience);
      return Math.max(
        Math.min(count(blocks, patienceBlocks), count(time, patience)),
        count(time, slowPatience),
      );
    },
    hadBlocks: (since, until) => blocksBetween(since, until) >= patienceBlocks,
    settling: patience,
    again: retryOf(patience, timing),
  };
}

function inTime(limit: number, timing: Timing): Patience {
  return {
    times: (since, until) => count(until.at - since.at, limit),
    hadBlocks: () => true,
    settling: Math.min(limit, timing.patience),
    again: retryOf(limit, timing),
  };
}

function retryOf(limit: number, { patience, replaceAgain, replaceAgainBlocks }: Timing): Patience['again'] {
  return (since, until) => {
    const time = until.at - since.at;
    if (time >= Math.min(limit, patience)) return true;
    return time >= Math.min(limit, replaceAgain) && blocksBetween(since, until) >= replaceAgainBlocks;
  };
}

function count(spent: number, each: number): number {
  return Math.max(0, Math.floor(spent / each));
}

/** Returns the number of new blocks; 0 if a height is unknown or decreased (reorg). */
function blocksBetween(since: Moment, until: Moment): number {
  return since.height === null || until.height === null ? 0 : Math.max(0, until.height - since.height);
}
