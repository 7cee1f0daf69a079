import type { SqlValue, Tx } from '@ledger-ops/store';

/**
 * A table whose rows are leased to one server at a time, with the columns `uid`, `owner` and `owned_until` (by the
 * database's clock). The store locks a SQLite file, so a single server owns all its rows. There, leases have only one
 * effect: after a crash, the work waits until they expire.
 */
export interface OwnedTable {
  name: string;
  /** List of the columns that `own` returns. */
  selected: string;
  /** SQL condition: the row needs work. */
  open: string;
}

/**
 * Acquires or extends the lease of a row. Returns the row; undefined if another server holds the lease, or if the row
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
