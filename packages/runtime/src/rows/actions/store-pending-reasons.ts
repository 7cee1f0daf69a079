import type { Tx } from '@ledger-ops/store';
import type { PendingReason } from '../../pending-codes.ts';
import { rowset } from '../sql.ts';

/** Stores why an unsigned action is waiting. */
export async function storeUnsignedReason(
  tx: Tx,
  actionId: string,
  { reason, code }: PendingReason,
  now: number,
): Promise<void> {
  await tx.run(
    `UPDATE action SET waiting = $2, waiting_code = $3, waiting_since = ${sinceWhen('$3', '$4')}
      WHERE id = $1 AND status = 'PENDING' AND stage <> 'signed'`,
    [actionId, reason, code, now],
  );
}

/** Stores why signed actions have no outcome; a null message clears the reason. */
export async function storeSignedReasons(
  tx: Tx,
  reasons: readonly { readonly id: string; readonly waiting: string | null; readonly code: string | null }[],
  now: number,
): Promise<void> {
  await tx.run(
    `UPDATE action SET waiting = j.waiting, waiting_code = j.code,
      waiting_since = CASE WHEN j.code IS NULL THEN NULL ELSE ${sinceWhen('j.code', '$2')} END
      FROM ${rowset(tx.dialect, '$1', { id: 'text', waiting: 'text', code: 'text' })}
      WHERE action.id = j.id AND action.status = 'PENDING' AND action.stage = 'signed'`,
    [JSON.stringify(reasons), now],
  );
}

/**
 * SQL expression: the time since which the reason has applied. If only the message changes, not the code, this time is
 * kept.
 */
function sinceWhen(code: string, now: string): string {
  return `CASE WHEN action.waiting_code = ${code} THEN COALESCE(action.waiting_since, ${now}) ELSE ${now} END`;
}
