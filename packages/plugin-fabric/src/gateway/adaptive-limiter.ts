import type { Semaphore } from './semaphore.ts';

export interface AdaptiveLimiterOptions {
  /** Minimum number of concurrent calls. */
  floor: number;
  /** Maximum number of concurrent calls. */
  ceiling: number;
  /**
   * Milliseconds after which a running call no longer counts toward the limit, because it is slow itself and
   * should not delay others.
   */
  slow: number;
  /**
   * Milliseconds after which all measurements start again at the minimum, because the peers may have become
   * slower.
   */
  measuredFor: number;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
}

/**
 * Estimated number of calls that are queued at the peers. Below the first value the limit rises, above the
 * second it falls.
 */
const [few, many] = [3, 6];
/**
 * Calls may take this many times the shortest time without being considered queued, because networks
 * fluctuate.
 */
const tolerance = 1.5;

/**
 * Limits concurrent calls to the number that the peers process concurrently, plus a few; the rest wait in
 * this process. Peers share their processors among all calls, so a hundred concurrent endorsements all finish
 * late. With a few at a time, the first ones reach the orderer while the next ones are endorsed.
 *
 * The limit follows from the calls' durations, as in TCP Vegas (Brakmo and Peterson 1995): if `limit`
 * concurrent calls take `time` each and a single call takes `shortest`, then `limit × (1 − shortest ÷ time)`
 * are queued. So the limit is high if the network is slow, and low if the peers are busy. It doubles each
 * round until calls are queued; from then on, each round adjusts it.
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
    // Calls started before the measurement would distort it.
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
