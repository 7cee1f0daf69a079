import type { Backoff } from '@ledger-ops/base/backoff';

/** How long the host waits for a module's process, in milliseconds. Tests use other times. */
export interface Timing {
  /** For a call: on some ledgers one takes up to 45 s. */
  readonly call: number;
  /** For the import, from the moment this process may start: as many start concurrently as there are processors. */
  readonly start: number;
  /** For a process that missed a deadline to respond. */
  readonly ping: number;
  /** Interval between memory measurements. */
  readonly memory: number;
  /** Before an ended process is started again. */
  readonly restart: Backoff;
  /** Lifetime after which the restart delay begins at its minimum again. */
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
  /** Duration after which a starting process no longer delays the next one. */
  turn: 5_000,
  /**
   * Deadline of the isolation trial, and delay before a failed one is repeated, because the processor may have been
   * busy.
   */
  trial: 20_000,
  trialAgain: 60_000,
  /** Deadline for opening a connection. */
  connect: 30_000,
};
