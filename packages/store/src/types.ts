import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Tables } from './schema/index.ts';

/** A value of a raw statement. bigint is not used: amounts are decimal texts, counts are safe integers. */
export type SqlValue = string | number | boolean | Uint8Array | null;

/**
 * Reads and writes. The code sees PostgreSQL's types in both dialects; `t` holds the tables of the dialect
 * in use, so queries are written `tx.db.select().from(tx.t.action)…`.
 */
export interface Queries {
  readonly dialect: 'sqlite' | 'postgres';
  readonly db: PgDatabase<PgQueryResultHKT, Record<string, never>>;
  readonly t: Tables;
  /**
   * A hot statement: prepared once by its text, parameters `$1`, `$2` … in both dialects, no drizzle in between.
   * Booleans and JSON are not converted: use text, integer and bytes columns only.
   */
  all<Row extends Record<string, SqlValue>>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
  /** The same for writes; answers the number of rows changed. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  /** One prepared insert for many rows, in the order of `columns` (database names), in as few round trips as the dialect allows. */
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

export interface Store {
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads outside of any transaction. */
  readonly read: Queries;
  /**
   * Runs `work` in a transaction and resolves after it is durable. Inside, await nothing but the database.
   * A statement that failed fails the transaction, even when `work` catches its error.
   * On SQLite all callers that wait share one commit, each in a savepoint of its own.
   * A serialization failure or deadlock runs `work` again (PostgreSQL), so it must have no other effects.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** How many transactions this store has ended. As long as it says the same, nothing here has changed anything. */
  ended(): number;
  /** The database's clock, milliseconds since the epoch. */
  now(): Promise<number>;
  /** Wakes listeners on every server that shares the database (only a hint; in this process at once). */
  notify(topic: string, payload?: string): void;
  listen(topic: string, listener: (payload: string) => void): () => void;
  close(): Promise<void>;
}
