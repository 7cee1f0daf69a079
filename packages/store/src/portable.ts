import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Queries, Tx } from './types.ts';

/**
 * Locks the selected rows until the transaction ends (PostgreSQL). On SQLite, nothing is locked, because a
 * transaction is the only writer. Use: `forUpdate(tx, tx.db.select()….where(…))`.
 */
export function forUpdate<Rows>(
  tx: Tx,
  // Replaces drizzle's own query type, which takes the compiler several seconds to compare.
  query: PromiseLike<Rows> & { for(strength: 'update'): PromiseLike<Rows> },
): PromiseLike<Rows> {
  return tx.dialect === 'postgres' ? query.for('update') : query;
}

/** SQL condition: the column contains the string, case-sensitive and without wildcards. */
export function containsText(queries: Queries, column: PgColumn, text: string): SQL {
  return queries.dialect === 'postgres'
    ? sql`strpos(${column}, ${text}) > 0`
    : sql`instr(${column}, ${text}) > 0`;
}
