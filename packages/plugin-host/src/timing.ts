import type { Backoff } from '@ledger-ops/base/backoff';

/** How long the host waits for a module's process, in milliseconds. Tests use other times. */
export interface Timing {
  /** Timeout of a call: on some ledgers a call takes up to 45 s. */
  readonly call: number;
  /**
   * Timeout of the import, counted from the start of the process. As many processes start concurrently as there are
   * processors.
   */
  readonly start: number;
  /** Time in which a process that missed a deadline must respond to a ping. */
  readonly ping: number;
  /** Interval between memory measurements. */
  readonly memory: number;
  /** Delay between the end of a process and the start of the next one. */
  readonly restart: Backoff;
  /** A process that ran longer than this is restarted with the minimum delay. */
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

/** Times that all modules of this host share, in milliseconds. */
export const shared = {
  /** After this time, a starting process no longer delays the start of the next one. */
  turn: 5_000,
  /** Deadline of the isolation trial. */
  trial: 20_000,
  /** Delay between a failed trial and the next one. A trial can fail because the processor was busy. */
  trialAgain: 60_000,
  /** Deadline for opening a connection. */
  connect: 30_000,
};
