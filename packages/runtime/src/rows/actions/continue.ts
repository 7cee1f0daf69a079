import { plainWords } from '@ledger-ops/adapter/words';
import { Problem } from '@ledger-ops/base';
import type { SqlValue, Tx } from '@ledger-ops/store';
import { keyTypeOf } from '../../keys/plugin-key.ts';
import type { GrantVault } from '../../keys/vault.ts';
import { releaseClaims } from '../attempts/claims.ts';
import {
  eraseGrants,
  type GrantedRow,
  insertGrants,
  openGrant,
  type SealedGrant,
  sealGrant,
} from '../attempts/signing-grant.ts';
import { type Continuation, failure, type Settlement } from '../model.ts';
import { recordSteps, type StepRow, stepColumns } from '../record-activity.ts';
import { forUpdateOf, rowset, textList } from '../sql.ts';
import { cancelled } from './change-requests.ts';

/** A deadline that never passes: the maximum time value of a JavaScript date, in milliseconds. */
export const never = 8_640_000_000_000_000;

interface Row extends GrantedRow, StepRow, Record<string, SqlValue> {
  id: string;
  project_id: string;
  wallet_id: string;
  wallet_uid: string;
  ledger_uid: string;
  operation: string;
  plan: string;
  change: string | null;
  key_type: string;
  /** Number of transactions signed for the action so far. */
  steps: number;
  sealed: Uint8Array | null;
  secret: Uint8Array | null;
  others: string | null;
}

const columns = {
  id: 'text',
  plan: 'text',
  waiting: 'text',
  executed: 'bigint',
  expired: 'bigint',
  sent_at: 'bigint',
} as const;

/** Maximum number of transactions of one action. Limits plugins that request one transaction after another. */
const mostTransactions = 100;

export interface Continued {
  /** Ids of the actions that are in the stage `ready` again. */
  ids: string[];
  /**
   * Failures of actions that do not continue, for one of these reasons: the action was canceled and nothing was
   * executed, its grant is missing or cannot be opened, or it reached the maximum number of transactions.
   */
  stuck: Settlement[];
}

/**
 * Puts actions back into the stage `ready` with their new plans. Settles each completed transaction, and binds the
 * grant to the new plan. Ignores transactions that are already settled. If the transactions of an action may still be
 * executed after a reorg, they stay unsettled and keep their claims.
 */
export async function continueActions(
  tx: Tx,
  vault: GrantVault,
  chain: string,
  continuations: readonly Continuation[],
  now: number,
): Promise<Continued> {
  if (continuations.length === 0) return { ids: [], stuck: [] };
  const completed = await tx.all<{ tx_id: string }>(
    `UPDATE attempt SET settled_at = $2 WHERE chain = $3 AND tx_id IN ${textList(tx.dialect, '$1')}
      AND settled_at IS NULL RETURNING tx_id`,
    [
      JSON.stringify(continuations.filter((one) => !one.mayStillExecute).map(({ txId }) => txId)),
      ...[now, chain],
    ],
  );
  const settled = new Set(completed.map(({ tx_id }) => tx_id));
  const byId = new Map(
    continuations
      .filter(({ txId, mayStillExecute }) => mayStillExecute || settled.has(txId))
      .map((one) => [one.actionId, one]),
  );
  if (byId.size === 0) return { ids: [], stuck: [] };
  const rows = await tx.all<Row>(
    `SELECT ${stepColumns}, action.ledger_uid, action.operation, action.plan, action.change, wallet.key_type,
      (SELECT MAX(attempt.n) + 1 FROM attempt WHERE attempt.action_id = action.id) AS steps,
      action_grant.sealed, action_grant.secret, action_grant.others
      FROM action JOIN wallet ON wallet.uid = action.wallet_uid
      LEFT JOIN action_grant ON action_grant.action_id = action.id
      WHERE action.id IN ${textList(tx.dialect, '$1')} AND action.status = 'PENDING' AND action.stage = 'signed'${forUpdateOf(tx.dialect, 'action')}`,
    [JSON.stringify([...byId.keys()])],
  );
  const steps: Parameters<typeof recordSteps>[1][number][] = [];
  const grants: [string, SealedGrant][] = [];
  const changes: Record<keyof typeof columns, SqlValue>[] = [];
  const stuck: Settlement[] = [];
  for (const row of rows) {
    const next = byId.get(row.id);
    if (next === undefined) continue;
    if (row.change === 'cancel' && !next.executed && !next.mayStillExecute) {
      const detail = `${plainWords(next.detail)} Nothing was executed, and no other transaction is signed for the action.`;
      stuck.push(failure(row.id, true, cancelled(detail)));
      continue;
    }
    if (row.steps >= mostTransactions) {
      stuck.push(
        failure(
          row.id,
          true,
          next.plan === null ? expiredTooOften(next.detail) : continuedTooOften(next.detail),
        ),
      );
      continue;
    }
    const plan = next.plan === null ? row.plan : JSON.stringify(next.plan);
    const grant = rebind(vault, row, plan);
    if (grant === null) {
      stuck.push(failure(row.id, true, noGrant(next.detail)));
      continue;
    }
    steps.push({ step: 'continue', row });
    grants.push([row.id, grant]);
    const expired = `${next.detail} Another transaction is created: number ${row.steps + 1} of the action.`;
    changes.push({
      ...{ id: row.id, plan },
      waiting: plainWords(next.plan === null ? expired : next.detail),
      executed: next.executed ? 1 : 0,
      expired: next.plan === null ? 1 : 0,
      sent_at: next.sentAt ?? null,
    });
  }
  if (changes.length === 0) return { ids: [], stuck };
  const ids = changes.map(({ id }) => String(id));
  await tx.run(
    `UPDATE action SET stage = 'ready', plan = j.plan, waiting = j.waiting, waiting_code = 'next-transaction',
      waiting_since = $2, sent_at = COALESCE(action.sent_at, j.sent_at),
      change = CASE WHEN j.expired = 1 THEN COALESCE(action.change, 'expired') ELSE action.change END,
      deadline = CASE WHEN j.executed = 1 THEN ${never} ELSE deadline END, updated_at = $2
      FROM ${rowset(tx.dialect, '$1', columns)} WHERE action.id = j.id`,
    [JSON.stringify(changes), now],
  );
  const over = ids.filter((id) => byId.get(id)?.mayStillExecute === false);
  await tx.run(
    `UPDATE attempt SET settled_at = $2 WHERE action_id IN ${textList(tx.dialect, '$1')} AND settled_at IS NULL`,
    [JSON.stringify(over), now],
  );
  await releaseClaims(tx, over);
  // The next transaction is signed with a grant of its own.
  await tx.run(
    `UPDATE attempt SET sealed = NULL, secret = NULL WHERE action_id IN ${textList(tx.dialect, '$1')} AND sealed IS NOT NULL`,
    [JSON.stringify(ids)],
  );
  await eraseGrants(tx, ids);
  await insertGrants(tx, grants);
  await recordSteps(tx, steps, now);
  return { ids, stuck };
}

/** Binds a grant to another plan. Returns null if the grant cannot be opened. */
function rebind(vault: GrantVault, row: Row, plan: string): SealedGrant | null {
  const grant = openGrant(vault, row, keyTypeOf(row.key_type));
  if (grant === null) return null;
  try {
    return sealGrant(vault, { ...row, plan }, grant);
  } finally {
    grant.signer.destroy();
  }
}

function noGrant(detail: string) {
  return new Problem(
    'plugin-fault',
    `The ledger plugin requests another transaction (${detail}), but it had not announced one, so the signing key is already erased.`,
  ).toDocument();
}

function expiredTooOften(detail: string) {
  return new Problem(
    'expired',
    `The action has reached the limit of ${mostTransactions} transactions. ${detail}`,
  ).toDocument();
}

function continuedTooOften(detail: string) {
  return new Problem(
    'plugin-fault',
    `The ledger plugin requests another transaction (${detail}), but the action has reached the limit of ${mostTransactions} transactions.`,
  ).toDocument();
}
