import type { Backoff } from '@ledger-ops/backoff';

/** How long a store waits for what, in milliseconds, and how often it tries. Tests give shorter times. */
export interface Timing {
  /** For one work to await something other than the database. */
  readonly strayAwait: number;

  /** SQLite: for work that shares one commit. */
  readonly commit: number;
  /** SQLite: for another process that has the file's lock for a moment. */
  readonly busy: number;

  /** PostgreSQL: for a connection to be made. */
  readonly connect: number;
  /** PostgreSQL: for one statement. */
  readonly statement: number;
  /** PostgreSQL: beyond a statement's time, for a connection that went silent; the server's own bound comes first. */
  readonly silence: number;
  /** PostgreSQL: for a transaction without a statement. A server that is paused inside of one must not keep its locks. */
  readonly idleTransaction: number;
  /** PostgreSQL: how often a serialization failure or deadlock is tried anew. */
  readonly transactionRetries: number;
  /** PostgreSQL: before a transaction that lost against another one runs again, at most. */
  readonly transactionAgain: Backoff;
  /** PostgreSQL: for the connection that listens to answer. */
  readonly listen: number;
  /** PostgreSQL: before the connection that listens is opened again, at most. */
  readonly listenAgain: Backoff;
}

export const defaultTiming: Timing = {
  strayAwait: 5_000,
  commit: 20,
  busy: 2_000,
  connect: 10_000,
  statement: 30_000,
  silence: 5_000,
  idleTransaction: 10_000,
  transactionRetries: 5,
  transactionAgain: { first: 10, longest: 1_000 },
  listen: 10_000,
  listenAgain: { first: 100, longest: 5_000 },
};
