import type { Tx } from '@ledger-ops/store';

/**
 * Sets the deadlines to the past, so that the engine fails unsigned actions and those that depend on them. Returns the number
 * of pending actions.
 */
export async function endPendingIn(tx: Tx, source: string): Promise<number> {
  const pending = await tx.run("UPDATE action SET deadline = 0 WHERE status = 'PENDING'");
  await tx.run(
    "UPDATE action SET waiting = $1, waiting_code = NULL WHERE status = 'PENDING' AND stage <> 'signed'",
    [`the database was restored from ${source}, so the action may already have been executed.`],
  );
  return pending;
}
