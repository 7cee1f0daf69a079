import type { SqlValue, Store, Tx } from '@ledger-ops/store';
import { passRemoved } from '../compared-accounts.ts';
import { type StepRow, stepColumns } from '../record-activity.ts';
import { textList } from '../sql.ts';
import { removeActionBytes } from './action-bytes.ts';
import { type ListedRow, listedColumns, unlist } from './listings.ts';

/** Number of actions checked per transaction. On SQLite, all other writes wait for this transaction. */
const checkedAtOnce = 100;

/** Position in the scan, which starts with the action that was not updated for the longest time. */
export interface RemovalPlace {
  readonly updatedAt: number;
  readonly id: string;
}

type Candidate = RemovalPlace & Record<string, SqlValue>;

/** The columns that are needed to remove a finished action from its listings. */
type EndedRow = ListedRow & StepRow & { ended_at: number } & Record<string, SqlValue>;

/**
 * Removes finished actions that were last updated before a given time and are no longer needed. An action is kept if a
 * pending one depends on it, if its bytes may be resent, or if it was ever retracted (retracted actions are counted).
 * The last action of an account on the ledger is also kept, because it shows whether a node is behind. `next` is the
 * position from which to continue; null at the end.
 */
export async function removeEnded(
  store: Store,
  before: number,
  after: RemovalPlace | null,
): Promise<{ removed: number; next: RemovalPlace | null }> {
  return store.transaction(async (tx) => {
    const found = await tx.all<Candidate>(
      `SELECT id, updated_at AS "updatedAt" FROM action
        WHERE updated_at < $1 AND (updated_at > $2 OR (updated_at = $2 AND id > $3)) AND status <> 'PENDING'
        ORDER BY updated_at, id LIMIT ${checkedAtOnce}${tx.dialect === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : ''}`,
      [before, after?.updatedAt ?? -1, after?.id ?? ''],
    );
    const last = found.length < checkedAtOnce ? null : (found.at(-1) ?? null);
    if (found.length === 0) return { removed: 0, next: null };
    // Dependents are read after the actions are locked, so that new ones are found.
    const rows = await tx.all<EndedRow>(
      `SELECT ${stepColumns}, ${listedColumns}, action.ended_at FROM action
        WHERE action.id IN ${textList(tx.dialect, '$1')} AND ${unneeded}`,
      [JSON.stringify(found.map(({ id }) => id))],
    );
    if (rows.length > 0) await remove(tx, rows);
    return { removed: rows.length, next: last === null ? null : { updatedAt: last.updatedAt, id: last.id } };
  });
}

const unneeded = `action.retracted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM action_dependency AS link JOIN action AS waiting ON waiting.id = link.action_id
    WHERE link.dependency_id = action.id AND waiting.status = 'PENDING')
  AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.action_id = action.id AND (attempt.bytes IS NOT NULL
    OR (attempt.sequence IS NOT NULL AND NOT EXISTS (SELECT 1 FROM attempt AS later
      JOIN action AS other ON other.id = later.action_id WHERE later.chain = attempt.chain
      AND later.address = attempt.address AND later.sequence > attempt.sequence AND later.tx_id = other.locator))))`;

async function remove(tx: Tx, rows: readonly EndedRow[]): Promise<void> {
  const ids = JSON.stringify(rows.map(({ id }) => id));
  const among = textList(tx.dialect, '$1');
  await unlist(tx, rows);
  await removeActionBytes(tx, ids);
  // The highest removed sequence is stored. Otherwise, later transactions would look like the account's first ones.
  await tx.run(
    `UPDATE sequence SET removed = highest.removed FROM (
        SELECT attempt.chain, attempt.address, MAX(attempt.sequence) AS removed FROM attempt
        JOIN action ON action.id = attempt.action_id
        WHERE action.id IN ${among} AND attempt.sequence IS NOT NULL AND attempt.tx_id = action.locator
        GROUP BY attempt.chain, attempt.address
      ) AS highest
      WHERE sequence.chain = highest.chain AND sequence.address = highest.address
      AND (sequence.removed IS NULL OR sequence.removed < highest.removed)`,
    [ids],
  );
  await passRemoved(tx, ids);
  const given = rows.filter(({ given_id }) => given_id !== null);
  await tx.insertMany(
    'removed_action',
    ['project_id', 'given_id'],
    given.map(({ project_id, given_id }) => [project_id, given_id]),
  );
  for (const [table, column] of [
    ['attempt', 'action_id'],
    ['action_dependency', 'action_id'],
    ['action_dependency', 'dependency_id'],
    ['deployment', 'action_id'],
    ['action_grant', 'action_id'],
    ['action', 'id'],
  ] as const) {
    await tx.run(`DELETE FROM ${table} WHERE ${column} IN ${among}`, [ids]);
  }
}
