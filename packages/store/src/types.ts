import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Tables } from './schema/index.ts';

/**
 * A parameter or result of a raw statement. bigint is not needed, because amounts are decimal text and counts are safe
 * integers.
 */
export type SqlValue = string | number | boolean | Uint8Array | null;

/**
 * Methods to read and write. The code uses PostgreSQL's types in both dialects. `t` contains the tables of the dialect
 * in use, so queries have the form `tx.db.select().from(tx.t.action)…`.
 */
export interface Queries {
  readonly dialect: 'sqlite' | 'postgres';
  readonly db: PgDatabase<PgQueryResultHKT, Record<string, never>>;
  readonly t: Tables;
  /**
   * Runs a frequently used read without drizzle. It is prepared once per text, and its parameters are `$1`, `$2` and so
   * on in both dialects. Booleans and JSON are not converted, so use only columns with text, integers and bytes.
   */
  all<Row extends Record<string, SqlValue>>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
  /** Runs a frequently used write in the same way. Returns the number of rows that were changed. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  /**
   * Inserts many rows with one prepared statement, in as few round trips as the dialect allows. Values are in the order
   * of `columns`, which are the names in the database.
   */
  insertMany(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void>;
}

/** Queries in a transaction. */
export interface Tx extends Queries {
  /** Registers a callback that runs after the commit, but not after a rollback. It must not throw. */
  afterCommit(callback: () => void): void;
}

/** Replication of commits from a PostgreSQL primary to its standbys. */
export interface Replication {
  /**
   * Returns the primary's timeline, which increases with each promotion and is null if unknown, and whether commits
   * wait for a standby.
   */
  read(): Promise<{ timeline: number | null; isSynchronous: boolean }>;
  /**
   * Calls `check` in a transaction on the first connection to a promoted standby. No other work uses the standby before
   * that transaction commits.
   */
  onPromotion(check: (tx: Tx) => Promise<void>): void;
}

export interface Store {
  readonly dialect: 'sqlite' | 'postgres';
  /** Name of the database in messages: the path of the file, or `host:port/database, schema name`. */
  readonly where: string;
  /** Queries outside of transactions. */
  readonly read: Queries;
  /**
   * Runs `work` in a transaction, and resolves when the transaction is durable. `work` must not await anything other
   * than the database. A failed statement fails the transaction, even if `work` catches its error. On SQLite, all
   * waiting callers share one commit, each in its own savepoint. On PostgreSQL, a serialization failure or deadlock
   * runs `work` again, so it must have no other effects.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Returns the number of transactions that this store has finished. If it is unchanged, this store has not changed the
   * database in the meantime.
   */
  ended(): number;
  /**
   * Returns the value of a counter as of the last commit; 0 if it was never increased. Calls in the same turn of the
   * event loop share one read.
   */
  counter(name: string): Promise<number>;
  /** Returns the time of the database's clock in milliseconds since the epoch. */
  now(): Promise<number>;
  /**
   * Wakes the listeners in this process immediately, and those on other servers that share the database. Delivery to
   * other servers is not guaranteed.
   */
  notify(topic: string, payload?: string): void;
  listen(topic: string, listener: (payload: string) => void): () => void;
  /** Undefined on SQLite. */
  readonly replication?: Replication;
  close(): Promise<void>;
}
