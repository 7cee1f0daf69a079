import type { Json } from '@ledger-ops/adapter';
import type { Timing } from '../../timing.ts';

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

/**
 * A ledger's patience; null: it has none, nothing is ever replaced.
 * @param replaceAfter the property `replace_after` in seconds; absent: counted in blocks and seconds
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

/** None where it is not known, or the chain lost some. */
function blocksBetween(since: Moment, until: Moment): number {
  return since.height === null || until.height === null ? 0 : Math.max(0, until.height - since.height);
}
