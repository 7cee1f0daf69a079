import type { SqlValue, Tx } from '@ledger-ops/store';

/**
 * A table whose rows are leased to one server at a time, with columns `uid`, `owner` and `owned_until`
 * (database time). The store locks a SQLite file, so a single server owns all its rows. On SQLite, a lease
 * has only one effect: after a crash, the work waits until the lease expires.
 */
export interface OwnedTable {
  name: string;
  /** Columns to read. */
  selected: string;
  /** SQL condition of rows that need work. */
  open: string;
}

/**
 * Acquires or extends the lease of a row. Returns undefined if another server holds the lease, or if the row
 * needs no work.
 */
export async function own<Row extends Record<string, SqlValue>>(
  tx: Tx,
  { name, selected, open }: OwnedTable,
  uid: string,
  owner: string,
  now: number,
  until: number,
): Promise<Row | undefined> {
  const [row] = await tx.all<Row>(
    `UPDATE ${name} SET owner = $2, owned_until = $4
      WHERE uid = $1 AND ${open} AND (owner = $2 OR owned_until <= $3) RETURNING ${selected}`,
    [uid, owner, now, until],
  );
  return row;
}

/** Releases all leases, so that another server can take the rows immediately. */
export async function disown(tx: Tx, { name }: OwnedTable, owner: string): Promise<void> {
  await tx.run(`UPDATE ${name} SET owner = NULL, owned_until = 0 WHERE owner = $1`, [owner]);
}
