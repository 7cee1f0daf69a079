import type { SqlValue, Tx } from '@ledger-ops/store';
import { eraseGrants, type SealedGrant } from './grant.ts';
import type { Attempt, ToSign } from './model.ts';
import { recordSteps, type StepRow, stepColumns } from './record-steps.ts';
import { rowset, textList } from './sql.ts';

/** The next sequence is not what this server believed: read it again. */
export class SequenceMoved extends Error {
  override readonly name = 'SequenceMoved';
}

/** Signed transactions of one action. */
export interface SignedRows {
  actionId: string;
  address: string;
  shard: number;
  sequence: number | null;
  attempts: readonly (Omit<Attempt, 'kind'> & { kind: Attempt['kind'] | 'filler' })[];
  /** The ledger's newest block, as far as it is known. */
  height?: number | null;
  /** What signs replacements of them. */
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
    for (const { txId, n, kind, bytes, cost, reason = null } of attempts) {
      const sealed = n === 0 ? kept : null;
      const row = [
        ...[txId, actionId, n, kind, chain, shard, address, sequence, bytes, cost.toString(), now],
        ...[height, sealed?.sealed ?? null],
      ];
      const secret = sealed?.secret ?? null;
      if (reason === null && secret === null) rows.push(row);
      else rare.push([...row, secret, reason === null ? null : JSON.stringify(reason)]);
    }
  }
  if (rows.length > 0) await tx.insertMany('attempt', attemptColumns, rows);
  if (rare.length > 0) await tx.insertMany('attempt', [...attemptColumns, 'secret', 'reason'], rare);
}

/** Compare-and-swap of an account's next sequence; `from` null means that there is no row yet. @throws SequenceMoved */
export async function advanceSequence(
  tx: Tx,
  chain: string,
  address: string,
  from: number | null,
  to: number,
): Promise<void> {
  const changed =
    from === null
      ? await tx.run(
          'INSERT INTO sequence (chain, address, next) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [chain, address, to],
        )
      : await tx.run('UPDATE sequence SET next = $3 WHERE chain = $1 AND address = $2 AND next = $4', [
          chain,
          address,
          to,
          from,
        ]);
  if (changed !== 1) throw new SequenceMoved(`The next sequence of ${address} is not ${from}.`);
}

/**
 * Moves ready actions to signed and erases the grants of those that sign no more. Answers the ids that were still
 * ready.
 */
export async function markSigned(
  tx: Tx,
  actionIds: readonly string[],
  now: number,
  keepGrants: ReadonlySet<string> = new Set(),
): Promise<Set<string>> {
  const list = JSON.stringify(actionIds);
  const changed = await tx.all<StepRow & Record<string, SqlValue>>(
    `UPDATE action SET stage = 'signed', waiting = NULL, updated_at = $2 WHERE id IN ${textList(tx.dialect, '$1')} AND status = 'PENDING' AND stage = 'ready' RETURNING ${stepColumns}`,
    [list, now],
  );
  await recordSteps(
    tx,
    changed.map((row) => ({ step: 'sign', row })),
    now,
  );
  const done = actionIds.filter((id) => !keepGrants.has(id));
  if (done.length > 0) await eraseGrants(tx, done);
  return new Set(changed.map(({ id }) => id));
}

/** What they were signed by stands in their rows from now on: what is kept for replacements is bound to it. */
export async function storePlans(tx: Tx, signed: readonly ToSign[]): Promise<void> {
  if (signed.length === 0) return;
  await tx.run(
    `UPDATE action SET plan = j.plan FROM ${rowset(tx.dialect, '$1', { id: 'text', plan: 'text' })}
      WHERE action.id = j.id AND action.plan <> j.plan`,
    [JSON.stringify(signed.map(({ actionId, plan }) => ({ id: actionId, plan: JSON.stringify(plan) })))],
  );
}
