import type { Backoff } from '@ledger-ops/base/backoff';

/** Timeouts of a store in milliseconds, and numbers of attempts. Tests use smaller values. */
export interface Timing {
  /** Time for which the callback of a transaction may wait for anything other than the database. */
  readonly strayAwait: number;

  /** SQLite: maximum duration of the work that shares one commit. */
  readonly commit: number;
  /** SQLite: time after the last commit at which the write-ahead log is copied into the database file. */
  readonly checkpoint: number;
  /** SQLite: maximum time to wait for another process that holds the file's lock. */
  readonly busy: number;

  /** PostgreSQL: timeout for opening a connection. */
  readonly connect: number;
  /** PostgreSQL: timeout of one statement. */
  readonly statement: number;
  /**
   * PostgreSQL: time after a statement's timeout, which the server applies, at which a connection that has not
   * responded is closed.
   */
  readonly silence: number;
  /**
   * PostgreSQL: timeout of a transaction that executes no statement, so that a paused server does not keep its locks.
   */
  readonly idleTransaction: number;
  /** PostgreSQL: maximum number of retries after a serialization failure or deadlock. */
  readonly transactionRetries: number;
  /** PostgreSQL: delay before such a retry. */
  readonly transactionAgain: Backoff;
  /** PostgreSQL: timeout for a response on the listening connection. */
  readonly listen: number;
  /** PostgreSQL: delay before the listening connection is opened again. */
  readonly listenAgain: Backoff;
}

export const defaultTiming: Timing = {
  strayAwait: 5_000,
  commit: 20,
  checkpoint: 1_000,
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
