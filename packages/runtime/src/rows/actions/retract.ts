import type { SqlValue, Tx } from '@ledger-ops/store';
import { recordSteps, type StepRow, stepColumns } from '../record-activity.ts';
import { rowset } from '../sql.ts';
import type { PastAction, Retracted } from './past.ts';

/**
 * A finished action that was compared with the ledger. `retracted` is null if the ledger contains the action's outcome.
 */
export interface PastChange {
  action: PastAction;
  retracted: Retracted | null;
}

/**
 * Marks finished actions as retracted or as reinstated, without changing their status. Returns what changed, by action
 * id.
 */
export async function retract(
  tx: Tx,
  changes: readonly PastChange[],
  now: number,
): Promise<Map<string, 'retract' | 'reinstate'>> {
  const rows = changes.map(({ action, retracted }) => ({
    id: action.id,
    retracted: retracted === null ? null : JSON.stringify(retracted),
  }));
  const changed = await tx.all<StepRow & { retracted: string | null } & Record<string, SqlValue>>(
    `UPDATE action SET retracted = j.retracted, updated_at = $2,
        retracted_at = CASE WHEN j.retracted IS NULL THEN action.retracted_at ELSE COALESCE(action.retracted_at, $2) END
      FROM ${rowset(tx.dialect, '$1', { id: 'text', retracted: 'text' })}
      WHERE action.id = j.id AND action.status <> 'PENDING' AND (action.retracted IS NULL) <> (j.retracted IS NULL)
      RETURNING ${stepColumns}, action.retracted AS retracted`,
    [JSON.stringify(rows), now],
  );
  const steps = changed.map((row) => ({
    step: row.retracted === null ? ('reinstate' as const) : ('retract' as const),
    row,
  }));
  await recordSteps(tx, steps, now);
  return new Map(steps.map(({ step, row }) => [row.id, step]));
}
