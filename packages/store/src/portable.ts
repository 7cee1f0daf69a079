import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Queries, Tx } from './types.ts';

/**
 * On PostgreSQL, locks the selected rows until the transaction ends. On SQLite, nothing needs a lock, because a
 * transaction is the only writer. Usage: `forUpdate(tx, tx.db.select()….where(…))`.
 */
export function forUpdate<Rows>(
  tx: Tx,
  // This type is used instead of drizzle's own, which takes the compiler several seconds to compare.
  query: PromiseLike<Rows> & { for(strength: 'update'): PromiseLike<Rows> },
): PromiseLike<Rows> {
  return tx.dialect === 'postgres' ? query.for('update') : query;
}

/** SQL condition: the column contains the text. The comparison is case-sensitive and has no wildcards. */
export function containsText(queries: Queries, column: PgColumn, text: string): SQL {
  return queries.dialect === 'postgres'
    ? sql`strpos(${column}, ${text}) > 0`
    : sql`instr(${column}, ${text}) > 0`;
}
