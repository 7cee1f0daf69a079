import { availableParallelism } from 'node:os';
import { shared } from './timing.ts';

/** Lets a few at once do what takes a processor, in the order in which they came. */
export interface Turns {
  /** Answers when it is one's turn, with the way to say that it is over. A turn is over after `longestMs` in any case. */
  take(): Promise<() => void>;
}

/** @param longestMs whoever takes longer than this goes on beside the next. */
export function createTurns(atOnce: number, longestMs: number): Turns {
  const waiting: (() => void)[] = [];
  let taken = 0;
  const next = () => {
    while (taken < atOnce && waiting.length > 0) {
      taken += 1;
      waiting.shift()?.();
    }
  };
  return {
    async take() {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        next();
      });
      let isOver = false;
      const over = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(late);
        taken -= 1;
        next();
      };
      const late = setTimeout(over, longestMs);
      late.unref();
      return over;
    },
  };
}

/**
 * The turns of all that is started as modules are: making a file system and importing a module take a processor each.
 * The processors are this machine's, whoever starts something. A module whose import never ends is not waited for.
 */
export const startTurns = createTurns(availableParallelism(), shared.turn);
