import { plainWords } from '@ledger-ops/adapter/words';
import type { Queries, SqlValue, Tx } from '@ledger-ops/store';
import { keyTypeOf } from '../../keys/plugin-key.ts';
import type { GrantVault } from '../../keys/vault.ts';
import { insertGrants, openGrant, type SealedGrant, sealGrant } from '../attempts/signing-grant.ts';
import type { Settlement } from '../model.ts';
import { recordSteps, type StepRow, stepColumns } from '../record-activity.ts';
import { forUpdateOf, rowset, textList } from '../sql.ts';

/** Maximum number of transactions of one action, with all its nonces. */
const mostTransactions = 100;

/**
 * A signed action that can no longer be executed, because another transaction used its nonce at confirmation
 * depth.
 */
export interface LostAction {
  readonly actionId: string;
  readonly sequence: number;
  /** Sentence for users about the transaction that used the nonce. */
  readonly detail: string;
  /** The failure with which the action completes if it cannot be prepared again. */
  readonly end: Settlement;
}

interface Row extends StepRow, Record<string, SqlValue> {
  id: string;
  project_id: string;
  wallet_id: string;
  wallet_uid: string;
  ledger_uid: string;
  operation: string;
  plan: string;
  change: string | null;
  key_type: string;
  given_id: string | null;
  receivers: string | null;
  /** Number of transactions signed for the action so far. */
  steps: number;
  sealed: Uint8Array | null;
  secret: Uint8Array | null;
}

/** Returns the plans of actions, by id. */
export async function readPlans(
  read: Pick<Queries, 'all' | 'dialect'>,
  actionIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await read.all<{ id: string; plan: string }>(
    `SELECT id, plan FROM action WHERE id IN ${textList(read.dialect, '$1')}`,
    [JSON.stringify(actionIds)],
  );
  return new Map(rows.map(({ id, plan }) => [id, plan]));
}

/**
 * Puts signed actions back into the stage `ready`, so that they are signed again with another nonce. Their transactions
 * are settled, because all of them have the used nonce. The stored grant, which allows signing only with that nonce, is
 * bound to the action without a nonce. Actions without such a grant, and canceled actions, fail instead (`ends`).
 */
export async function prepareAgain(
  tx: Tx,
  vault: GrantVault,
  lost: readonly LostAction[],
  now: number,
): Promise<{ ids: string[]; ends: Settlement[] }> {
  if (lost.length === 0) return { ids: [], ends: [] };
  const byId = new Map(lost.map((one) => [one.actionId, one]));
  const rows = await tx.all<Row>(
    `SELECT ${stepColumns}, action.ledger_uid, action.operation, action.plan, action.change, wallet.key_type, attempt.sealed, attempt.secret,
      (SELECT MAX(other.n) + 1 FROM attempt AS other WHERE other.action_id = action.id) AS steps
      FROM action JOIN wallet ON wallet.uid = action.wallet_uid
      LEFT JOIN attempt ON attempt.action_id = action.id AND attempt.sealed IS NOT NULL AND attempt.settled_at IS NULL
      WHERE action.id IN ${textList(tx.dialect, '$1')} AND action.status = 'PENDING' AND action.stage = 'signed'${forUpdateOf(tx.dialect, 'action')}`,
    [JSON.stringify([...byId.keys()])],
  );
  const again: Row[] = [];
  const ends: Settlement[] = [];
  const grants: [string, SealedGrant][] = [];
  for (const row of rows) {
    const one = byId.get(row.id);
    if (one === undefined) continue;
    const isFinal = row.change === 'cancel' || row.steps >= mostTransactions;
    const grant = isFinal ? null : unboundGrant(vault, row, one.sequence);
    if (grant === null) {
      ends.push(one.end);
      continue;
    }
    again.push(row);
    grants.push([row.id, grant]);
  }
  if (again.length === 0) return { ids: [], ends };
  const ids = again.map(({ id }) => id);
  const changes = ids.map((id) => ({ id, waiting: plainWords(byId.get(id)?.detail ?? '') }));
  await tx.run(
    `UPDATE action SET stage = 'ready', waiting = j.waiting, waiting_code = 'next-transaction', waiting_since = $2,
      updated_at = $2 FROM ${rowset(tx.dialect, '$1', { id: 'text', waiting: 'text' })} WHERE action.id = j.id`,
    [JSON.stringify(changes), now],
  );
  await tx.run(
    `UPDATE attempt SET settled_at = $2, sealed = NULL, secret = NULL WHERE action_id IN ${textList(tx.dialect, '$1')}
      AND settled_at IS NULL AND kind <> 'filler'`,
    [JSON.stringify(ids), now],
  );
  await insertGrants(tx, grants);
  await recordSteps(
    tx,
    again.map((row) => ({ step: 'continue', row })),
    now,
  );
  return { ids, ends };
}

/** Returns the kept grant, no longer bound to a nonce; null if there is none, or if it cannot be opened. */
function unboundGrant(vault: GrantVault, row: Row, sequence: number): SealedGrant | null {
  const grant = openGrant(vault, { ...row, others: null }, keyTypeOf(row.key_type), sequence);
  if (grant === null) return null;
  try {
    return sealGrant(vault, row, grant);
  } finally {
    grant.signer.destroy();
  }
}
