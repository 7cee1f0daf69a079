import type { SqlValue, Tx } from '@ledger-ops/store';
import { suspendedSql } from '../actions/suspensions.ts';
import type { Attempt } from '../model.ts';
import { recordSteps, type StepRow, stepColumns } from '../record-activity.ts';
import { rowset, textList } from '../sql.ts';
import { insertClaims } from './claims.ts';
import type { SealedGrant } from './signing-grant.ts';

export interface SignedRows {
  actionId: string;
  address: string;
  shard: number;
  sequence: number | null;
  attempts: readonly (Omit<Attempt, 'kind'> & { kind: Attempt['kind'] | 'filler' })[];
  /** Height of the ledger's newest block at the time of signing, if known. */
  height?: number | null;
  /** Grant with which replacements of these transactions are signed. */
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

/** Columns that are null for most transactions. */
const rareColumns = ['secret', 'reason', 'valid_until', 'claims', 'needs'] as const;

export async function insertAttempts(
  tx: Tx,
  chain: string,
  signed: readonly SignedRows[],
  now: number,
): Promise<void> {
  const rows: SqlValue[][] = [];
  const rare: SqlValue[][] = [];
  for (const { actionId, address, shard, sequence, attempts, height = null, kept = null } of signed) {
    for (const [index, attempt] of attempts.entries()) {
      const { txId, n, kind, bytes, cost, reason = null, validUntil = null } = attempt;
      const sealed = index === 0 ? kept : null;
      const row = [
        ...[txId, actionId, n, kind, chain, shard, address, sequence, bytes, cost.toString(), now],
        ...[height, sealed?.sealed ?? null],
      ];
      const others = [
        sealed?.secret ?? null,
        jsonOf(reason),
        validUntil,
        ...claimsAndNeeds(sequence, attempt),
      ];
      if (others.every((value) => value === null)) rows.push(row);
      else rare.push([...row, ...others]);
    }
  }
  if (rows.length > 0) await tx.insertMany('attempt', attemptColumns, rows);
  if (rare.length === 0) return;
  await tx.insertMany('attempt', [...attemptColumns, ...rareColumns], rare);
  await insertClaims(
    tx,
    chain,
    signed.filter(({ sequence }) => sequence === null),
  );
}

/**
 * Returns the claims and needs of an attempt as they are stored. A transaction with a sequence has this sequence as its
 * claim.
 */
function claimsAndNeeds(
  sequence: number | null,
  { claims = [], needs = [] }: Pick<Attempt, 'claims' | 'needs'>,
): [claims: string | null, needs: string | null] {
  const isNamed = sequence === null && claims.length > 0;
  return [isNamed ? JSON.stringify(claims) : null, needs.length > 0 ? JSON.stringify(needs) : null];
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/**
 * Marks ready actions as signed, except those that are suspended or no longer ready. Returns the ids of the marked
 * ones.
 */
export async function markSigned(tx: Tx, actionIds: readonly string[], now: number): Promise<Set<string>> {
  const changed = await tx.all<StepRow & Record<string, SqlValue>>(
    `UPDATE action SET stage = 'signed', waiting = NULL, waiting_code = NULL, waiting_since = NULL, updated_at = $2,
      change = NULL, change_cap = NULL
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

/** Stores the plans that were signed, to which the kept grants are bound. */
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

/** Stores the ledger's own id of a transaction. */
export async function storeNote(tx: Tx, chain: string, txId: string, note: string): Promise<void> {
  await tx.run('UPDATE attempt SET note = $3 WHERE chain = $1 AND tx_id = $2', [chain, txId, note]);
}
