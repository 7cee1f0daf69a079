import type { Tx } from '@ledger-ops/store';
import { rowset } from './sql.ts';

/** Why an action that is not signed waits, for whoever asks. */
export async function storeUnsignedReason(tx: Tx, actionId: string, reason: string): Promise<void> {
  await tx.run(`UPDATE action SET waiting = $2 WHERE id = $1 AND status = 'PENDING' AND stage <> 'signed'`, [
    actionId,
    reason,
  ]);
}

/** Why signed actions have no outcome, for whoever asks; null: nothing is said of it any more. */
export async function storeSignedReasons(
  tx: Tx,
  reasons: readonly { readonly id: string; readonly waiting: string | null }[],
): Promise<void> {
  await tx.run(
    `UPDATE action SET waiting = j.waiting FROM ${rowset(tx.dialect, '$1', { id: 'text', waiting: 'text' })}
      WHERE action.id = j.id AND action.status = 'PENDING' AND action.stage = 'signed'`,
    [JSON.stringify(reasons)],
  );
}
