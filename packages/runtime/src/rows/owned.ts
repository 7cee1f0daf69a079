import type { SqlValue, Tx } from '@ledger-ops/store';

/**
 * A table whose rows are each one server's at a time: with columns `uid`, `owner` and `owned_until`, in the database's time. A SQLite
 * file is one server's as a whole (the store locks it): there a lease only has the next start wait for the rest of it after a crash.
 */
export interface OwnedTable {
  name: string;
  /** Columns that are read. */
  selected: string;
  /** Condition of rows that are worked on at all. */
  open: string;
}

/** Takes a row, or keeps it, until a time; undefined: another server has it, or it is not worked on. */
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

/** Gives all back, so that another server need not wait. */
export async function disown(tx: Tx, { name }: OwnedTable, owner: string): Promise<void> {
  await tx.run(`UPDATE ${name} SET owner = NULL, owned_until = 0 WHERE owner = $1`, [owner]);
}
