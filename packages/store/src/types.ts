import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Tables } from './schema/index.ts';

/** A value of a raw statement. bigint is not used: amounts are decimal text, counts are safe integers. */
export type SqlValue = string | number | boolean | Uint8Array | null;

/**
 * Reads and writes. The code uses PostgreSQL's types in both dialects; `t` holds the tables of the dialect in use, so
 * queries are written `tx.db.select().from(tx.t.action)…`.
 */
export interface Queries {
  readonly dialect: 'sqlite' | 'postgres';
  readonly db: PgDatabase<PgQueryResultHKT, Record<string, never>>;
  readonly t: Tables;
  /**
   * Runs a frequently used read without drizzle: prepared once per text, with parameters `$1`, `$2` … in both dialects.
   * Booleans and JSON are not converted: use only text, integer and bytes columns.
   */
  all<Row extends Record<string, SqlValue>>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
  /** The same for writes; returns the number of changed rows. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  /**
   * Inserts many rows with one prepared statement, in as few round trips as the dialect allows. Values are in
   * the order of `columns` (database names).
   */
  insertMany(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void>;
}

/** Inside a transaction. */
export interface Tx extends Queries {
  /** Runs after the commit, never after a rollback; must not throw. */
  afterCommit(callback: () => void): void;
}

/** How commits of a PostgreSQL database reach its standbys. */
export interface Replication {
  /**
   * Returns the primary's timeline, which increases with each promotion (null if it is unknown), and whether
   * commits wait for a standby.
   */
  read(): Promise<{ timeline: number | null; isSynchronous: boolean }>;
  /**
   * Calls `check` in a transaction on the first connection to a promoted standby. No other work uses the standby before that
   * transaction commits.
   */
  onPromotion(check: (tx: Tx) => Promise<void>): void;
}

export interface Store {
  readonly dialect: 'sqlite' | 'postgres';
  /** Display name of the database: the path of the file, or `host:port/database, schema name`. */
  readonly where: string;
  /** Reads outside any transaction. */
  readonly read: Queries;
  /**
   * Runs `work` in a transaction and resolves when it is durable. Inside, await nothing but the database. A failed
   * statement fails the transaction, even if `work` catches its error. On SQLite, all waiting callers share one commit,
   * each in its own savepoint. On PostgreSQL, a serialization failure or deadlock runs `work` again, so it must have no
   * other effects.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Returns the number of transactions that this store has finished. As long as it stays the same, this store
   * has changed nothing.
   */
  ended(): number;
  /**
   * Value of a counter after the last commit; 0 before the first commit. Calls of one turn of the event loop
   * share one read.
   */
  counter(name: string): Promise<number>;
  /** Returns the database's clock, milliseconds since the epoch. */
  now(): Promise<number>;
  /** Wakes listeners on every server that shares the database; in this process immediately. Delivery is not guaranteed. */
  notify(topic: string, payload?: string): void;
  listen(topic: string, listener: (payload: string) => void): () => void;
  /** Undefined on SQLite. */
  readonly replication?: Replication;
  close(): Promise<void>;
}
