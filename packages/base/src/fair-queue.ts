import { availableParallelism } from 'node:os';
import { createFairShares, type Holder } from './fair-shares.ts';
import { Problem } from './problem.ts';

/** Runs costly work, a little of it at once, fairly among those who ask. */
export interface FairQueue {
  /**
   * Runs the job when it is the caller's turn: organizations take turns, in each its projects, there its callers, each
   * of them in its own order. When everything is full, who waits with most gives way to who waits with less.
   *
   * @throws Problem `too-many-requests` when too much waits already
   */
  run<T>(caller: Holder, job: () => Promise<T>): Promise<T>;
}

/** How much a queue takes. */
export interface FairQueueOptions {
  /** Jobs at once; default cores − 1, at least 1. */
  readonly limit?: number;
  /** Jobs that may wait, of all callers; default 100 for each at once. */
  readonly capacity?: number;
  /** Follows “Too many” in the refusal; default: passwords. */
  readonly what?: string;
}

/** Of one job, roughly: for `retryAfter`. */
const milliseconds = 60;

interface Waiting {
  readonly start: () => void;
  readonly refuse: (problem: Problem) => void;
}

/** An empty queue. */
export function createFairQueue(options: FairQueueOptions = {}): FairQueue {
  const limit = options.limit ?? Math.max(1, availableParallelism() - 1);
  const capacity = options.capacity ?? 100 * limit;
  const what = options.what ?? 'passwords are being checked';
  const waiting = createFairShares<Waiting>();
  let running = 0;

  const next = () => {
    if (running >= limit) return;
    const turn = waiting.takeTurn();
    if (turn === undefined) return;
    running += 1;
    turn.start();
  };

  const tooMany = () => {
    const retryAfter = Math.max(1, Math.ceil((waiting.size * milliseconds) / limit / 1_000));
    const detail = `Too many ${what}; try again in ${retryAfter} s.`;
    return new Problem('too-many-requests', detail, { retryAfter });
  };

  return {
    run(caller, job) {
      if (running >= limit && waiting.size >= capacity) {
        const problem = tooMany();
        const givesWay = waiting.takeForNewcomer(caller, 'newest');
        if (givesWay === undefined) return Promise.reject(problem);
        givesWay.refuse(problem);
      }
      return new Promise((resolve, reject) => {
        waiting.add(caller, {
          refuse: reject,
          start() {
            job()
              .then(resolve, reject)
              .finally(() => {
                running -= 1;
                next();
              });
          },
        });
        next();
      });
    },
  };
}
