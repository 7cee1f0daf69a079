import { availableParallelism } from 'node:os';
import { Problem } from './problem.ts';

/** Runs costly work, a little of it at once, fairly among those who ask. */
export interface FairQueue {
  /**
   * Runs the job when it is the caller's turn: callers take turns, each in its own order.
   *
   * @throws Problem `too-many-requests` when too much waits already
   */
  run<T>(caller: string, job: () => Promise<T>): Promise<T>;
}

/** How much a queue takes. */
export interface FairQueueOptions {
  /** Jobs at once; default cores − 1, at least 1. */
  readonly limit?: number;
  /** Jobs that may wait, of all callers; default 100 for each at once. A caller may have half of them. */
  readonly capacity?: number;
}

/** What one job takes, roughly: for `retryAfter`. */
const milliseconds = 60;

/** An empty queue. */
export function createFairQueue(options: FairQueueOptions = {}): FairQueue {
  const limit = options.limit ?? Math.max(1, availableParallelism() - 1);
  const capacity = options.capacity ?? 100 * limit;
  const ownCapacity = Math.max(1, Math.floor(capacity / 2));
  /** In the order of turns. */
  const waiting = new Map<string, (() => void)[]>();
  let waitingCount = 0;
  let running = 0;

  const next = () => {
    const first = waiting.entries().next();
    if (first.done || running >= limit) return;
    const [caller, jobs] = first.value;
    const start = jobs.shift();
    waiting.delete(caller);
    if (jobs.length > 0) waiting.set(caller, jobs);
    if (start === undefined) return;
    waitingCount -= 1;
    running += 1;
    start();
  };

  return {
    run(caller, job) {
      const own = waiting.get(caller) ?? [];
      if (running >= limit && (waitingCount >= capacity || own.length >= ownCapacity)) {
        const retryAfter = Math.max(1, Math.ceil((waitingCount * milliseconds) / limit / 1_000));
        return Promise.reject(
          new Problem(
            'too-many-requests',
            `Too many passwords are being checked; try again in ${retryAfter} s.`,
            { retryAfter },
          ),
        );
      }
      return new Promise((resolve, reject) => {
        own.push(() => {
          job()
            .then(resolve, reject)
            .finally(() => {
              running -= 1;
              next();
            });
        });
        waiting.set(caller, own);
        waitingCount += 1;
        next();
      });
    },
  };
}
