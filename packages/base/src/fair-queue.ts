import { availableParallelism } from 'node:os';
import { createFairShares, type Holder } from './fair-shares.ts';
import { Problem } from './problem.ts';

/** Runs expensive jobs with limited concurrency, sharing the capacity fairly among callers. */
export interface FairQueue {
  /**
   * Queues the job and runs it when the caller is next. The queue alternates between organizations, then between the
   * projects of an organization, then between the callers of a project. Each caller's jobs run in order. When the queue
   * is full and a holder with fewer jobs adds one, the holder with the most waiting jobs loses its newest job.
   *
   * @throws Problem `too-many-requests` if too many jobs are waiting
   */
  run<T>(caller: Holder, job: () => Promise<T>): Promise<T>;
}

export interface FairQueueOptions {
  /** Maximum number of concurrent jobs; default: cores − 1, at least 1. */
  readonly limit?: number;
  /** Maximum number of concurrent jobs of one organization, for jobs that may hang; default: `limit`. */
  readonly limitEach?: number;
  /** Maximum number of waiting jobs of all callers; default: 100 times `limit`. */
  readonly capacity?: number;
  /** Completes "Too many …" in the error message; default: text about password checks. */
  readonly what?: string;
}

/** Assumed duration of a job, from which `retryAfter` is calculated. */
const milliseconds = 60;

interface Waiting {
  /** @param end called when the job is done, so that the next one can start */
  readonly start: (end: () => void) => void;
  readonly refuse: (problem: Problem) => void;
}

export function createFairQueue(options: FairQueueOptions = {}): FairQueue {
  const limit = options.limit ?? Math.max(1, availableParallelism() - 1);
  const limitEach = options.limitEach ?? limit;
  const capacity = options.capacity ?? 100 * limit;
  const what = options.what ?? 'passwords are being checked';
  const waiting = createFairShares<Waiting>();
  const running = createFairShares<null>();

  const next = () => {
    if (running.size >= limit) return;
    const turn = waiting.takeTurn((organization) => running.count([organization]) < limitEach);
    if (turn === undefined) return;
    turn.item.start(running.add(turn.holder.slice(0, 1), null));
  };

  const tooMany = () => {
    const retryAfter = Math.max(1, Math.ceil((waiting.size * milliseconds) / limit / 1_000));
    const detail = `Too many ${what}. Try again in ${retryAfter} s.`;
    return new Problem('too-many-requests', detail, { retryAfter });
  };

  return {
    run(caller, job) {
      const mustWait = running.size >= limit || running.count(caller.slice(0, 1)) >= limitEach;
      if (mustWait && waiting.size >= capacity) {
        const problem = tooMany();
        const givesWay = waiting.takeForNewcomer(caller, 'newest');
        if (givesWay === undefined) return Promise.reject(problem);
        givesWay.refuse(problem);
      }
      return new Promise((resolve, reject) => {
        waiting.add(caller, {
          refuse: reject,
          start(end) {
            job()
              .then(resolve, reject)
              .finally(() => {
                end();
                next();
              });
          },
        });
        next();
      });
    },
  };
}
