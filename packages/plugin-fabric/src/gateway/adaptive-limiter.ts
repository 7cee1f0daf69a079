import type { Semaphore } from './semaphore.ts';

export interface AdaptiveLimiterOptions {
  /** Calls at once at least. */
  floor: number;
  /** Calls at once at most. */
  ceiling: number;
  /** Milliseconds after which a call does not count any more: it is slow by itself, and holds up no others. */
  slow: number;
  /** Milliseconds after which all of it is measured anew, from the floor: the other side may have become slower. */
  measuredFor: number;
  /** Milliseconds on a clock that only goes on. */
  now: () => number;
}

/** Calls that wait at the other side: below the one more are sent, above the other fewer. */
const [few, many] = [3, 6];
/** Times may be so much longer than the shortest without anybody waiting: networks are not even. */
const tolerance = 1.5;

/**
 * Lets as many calls be under way as the other side works on at once, and a few more; the others wait here. Peers
 * share their processors among all that they have: of a hundred endorsements at once all are done late, of a few at a
 * time the first are with the orderer, whose timer runs, while the next are endorsed.
 *
 * How many that is comes from the calls' times, as TCP Vegas has it (Brakmo and Peterson 1995): of `limit` calls that
 * take `time` each where one alone takes `shortest`, `limit × (1 − shortest ÷ time)` are waiting. So a network that is
 * far away gets many at once, and one whose processors are busy few. The limit doubles with each round until the first
 * have to wait; from then on a round corrects what it measured.
 */
export function createAdaptiveLimiter(options: AdaptiveLimiterOptions): Semaphore {
  const { ceiling, slow, measuredFor, now } = options;
  const floor = Math.min(options.floor, ceiling);
  const waiting: (() => void)[] = [];
  let limit = floor;
  let running = 0;
  let shortest = Number.POSITIVE_INFINITY;
  let measuredFrom = now();
  let isStart = true;

  function admit(): void {
    while (running < Math.floor(limit)) {
      const next = waiting.shift();
      if (next === undefined) return;
      running += 1;
      next();
    }
  }

  function learn(start: number, end: number): void {
    if (end - measuredFrom > measuredFor) {
      limit = floor;
      shortest = Number.POSITIVE_INFINITY;
      measuredFrom = end;
      isStart = true;
    }
    // Calls that were under way before say how it was then.
    if (start < measuredFrom) return;
    const time = end - start;
    shortest = Math.min(shortest, time);
    const queued = time === 0 ? 0 : limit * (1 - (tolerance * shortest) / time);
    if (queued >= few) isStart = false;
    if (queued > many) limit = Math.max(floor, limit - (queued - many) / limit);
    else if (queued < few && waiting.length > 0) {
      limit = Math.min(ceiling, limit + (isStart ? 1 : (few - Math.max(0, queued)) / limit));
    }
  }

  return {
    async run(call) {
      if (running < Math.floor(limit) && waiting.length === 0) running += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      const start = now();
      let counts = true;
      const leave = () => {
        if (counts) running -= 1;
        counts = false;
        admit();
      };
      const timer = setTimeout(leave, slow);
      try {
        const result = await call();
        learn(start, now());
        return result;
      } finally {
        clearTimeout(timer);
        leave();
      }
    },
  };
}
