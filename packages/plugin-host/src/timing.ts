import type { Backoff } from '@ledger-ops/backoff';

/** How long the host waits for a module's process, in milliseconds. Tests give other times. */
export interface Timing {
  /** For a call: on some ledgers one may take 45 s of its own. */
  readonly call: number;
  /** For the import, from the turn of this process: as many start at once as there are processors. */
  readonly start: number;
  /** For a process that missed a deadline to respond. */
  readonly ping: number;
  /** Between two looks at its memory. */
  readonly memory: number;
  /** Before a process that ended is started again. */
  readonly restart: Backoff;
  /** After a life as long as this the wait begins at its first time again. */
  readonly stable: number;
}

export const defaultTiming: Timing = {
  call: 60_000,
  start: 20_000,
  ping: 2_000,
  memory: 100,
  restart: { first: 200, longest: 30_000 },
  stable: 60_000,
};

/** For what all modules of this host share, in milliseconds. */
export const shared = {
  /** After which who starts goes on beside the next. */
  turn: 5_000,
  /** For the trial of the isolation, and after which one that failed is made again: the processor may have been busy. */
  trial: 20_000,
  trialAgain: 60_000,
  /** For a connection to be made. */
  connect: 30_000,
};
