import type { SqlValue, Tx } from '@ledger-ops/store';
import { suspendedSql } from '../actions/suspensions.ts';
import type { Attempt } from '../model.ts';
import { recordSteps, type StepRow, stepColumns } from '../record-activity.ts';
import { rowset, textList } from '../sql.ts';
import type { SealedGrant } from './signing-grant.ts';

/** Signed transactions of one action. */
export interface SignedRows {
  actionId: string;
  address: string;
  shard: number;
  sequence: number | null;
  attempts: readonly (Omit<Attempt, 'kind'> & { kind: Attempt['kind'] | 'filler' })[];
  /** The ledger's newest block, as far as it is known. */
  height?: number | null;
  /** Signs their replacements. */
  kept?: SealedGrant | null;
}

const attemptColumns = [
  'tx_id',
  'action_id',
  'n',
  'kind',
  'chain',
  'shard',
  'address',
  'sequence',
  'bytes',
  'cost',
  'created_at',
  'height',
  'sealed',
] as const;

/** Stores signed transactions of actions. */
export async function insertAttempts(
  tx: Tx,
  chain: string,
  signed: readonly SignedRows[],
  now: number,
): Promise<void> {
  const rows: SqlValue[][] = [];
  const rare: SqlValue[][] = [];
  for (const { actionId, address, shard, sequence, attempts, height = null, kept = null } of signed) {
    for (const { txId, n, kind, bytes, cost, reason = null, validUntil = null } of attempts) {
      const sealed = n === 0 ? kept : null;
      const row = [
        ...[txId, actionId, n, kind, chain, shard, address, sequence, bytes, cost.toString(), now],
        ...[height, sealed?.sealed ?? null],
      ];
      const secret = sealed?.secret ?? null;
      if (reason === null && secret === null && validUntil === null) rows.push(row);
      else rare.push([...row, secret, reason === null ? null : JSON.stringify(reason), validUntil]);
    }
  }
  if (rows.length > 0) await tx.insertMany('attempt', attemptColumns, rows);
  if (rare.length > 0)
    await tx.insertMany('attempt', [...attemptColumns, 'secret', 'reason', 'valid_until'], rare);
}

/** Moves ready actions to signed. Answers the ids that were still ready, and are not suspended. */
export async function markSigned(tx: Tx, actionIds: readonly string[], now: number): Promise<Set<string>> {
  const changed = await tx.all<StepRow & Record<string, SqlValue>>(
    `UPDATE action SET stage = 'signed', waiting = NULL, waiting_code = NULL, waiting_since = NULL, updated_at = $2
      WHERE id IN ${textList(tx.dialect, '$1')} AND status = 'PENDING' AND stage = 'ready'
      AND NOT ${suspendedSql()} RETURNING ${stepColumns}`,
    [JSON.stringify(actionIds), now],
  );
  await recordSteps(
    tx,
    changed.map((row) => ({ step: 'sign', row })),
    now,
  );
  return new Set(changed.map(({ id }) => id));
}

/** From now on the rows have the plans that were signed by: the grants that are kept are bound to them. */
export async function storePlans(
  tx: Tx,
  plans: readonly { readonly id: string; readonly plan: string }[],
): Promise<void> {
  if (plans.length === 0) return;
  await tx.run(
    `UPDATE action SET plan = j.plan FROM ${rowset(tx.dialect, '$1', { id: 'text', plan: 'text' })}
      WHERE action.id = j.id AND action.plan <> j.plan`,
    [JSON.stringify(plans)],
  );
}

/** The ledger's own id of a transaction. */
export async function storeNote(tx: Tx, chain: string, txId: string, note: string): Promise<void> {
  await tx.run('UPDATE attempt SET note = $3 WHERE chain = $1 AND tx_id = $2', [chain, txId, note]);
}
