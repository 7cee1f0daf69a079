import { plainWords } from '@ledger-ops/adapter/words';
import { Problem } from '@ledger-ops/base';
import type { SqlValue, Tx } from '@ledger-ops/store';
import type { Vault } from '../../keys/types.ts';
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
import { rowset, textList } from '../sql.ts';

/** Later than any deadline: the last instant that a date can tell, in milliseconds. */
export const never = 8_640_000_000_000_000;

interface Row extends GrantedRow, StepRow, Record<string, SqlValue> {
  id: string;
  project_id: string;
  wallet_id: string;
  wallet_uid: string;
  ledger_uid: string;
  operation: string;
  plan: string;
  key_type: string;
  /** Transactions that it has had. */
  steps: number;
  sealed: Uint8Array | null;
  secret: Uint8Array | null;
  others: string | null;
}

const columns = { id: 'text', plan: 'text', waiting: 'text', executed: 'bigint', sent_at: 'bigint' } as const;

/** Transactions of one action: a plugin that asks for ever more of them would go on for good. */
const mostTransactions = 100;

export interface Continued {
  /** Ready again. */
  ids: string[];
  /** Their grant is not there, or does not open, or there is no end to it: they cannot go on. */
  stuck: Settlement[];
}

/**
 * Takes actions back to where they are prepared, by their new plans: each transaction that is over is settled, and the
 * grant is bound to the new plan. A transaction that was settled before changes nothing.
 */
export async function continueActions(
  tx: Tx,
  vault: Vault,
  chain: string,
  continuations: readonly Continuation[],
  now: number,
): Promise<Continued> {
  if (continuations.length === 0) return { ids: [], stuck: [] };
  const over = await tx.all<{ tx_id: string }>(
    `UPDATE attempt SET settled_at = $2 WHERE chain = $3 AND tx_id IN ${textList(tx.dialect, '$1')}
      AND settled_at IS NULL RETURNING tx_id`,
    [JSON.stringify(continuations.map(({ txId }) => txId)), now, chain],
  );
  const settled = new Set(over.map(({ tx_id }) => tx_id));
  const byId = new Map(
    continuations.filter(({ txId }) => settled.has(txId)).map((one) => [one.actionId, one]),
  );
  if (byId.size === 0) return { ids: [], stuck: [] };
  const rows = await tx.all<Row>(
    `SELECT ${stepColumns}, action.ledger_uid, action.operation, action.plan, wallet.key_type,
      (SELECT MAX(attempt.n) + 1 FROM attempt WHERE attempt.action_id = action.id) AS steps,
      action_grant.sealed, action_grant.secret, action_grant.others
      FROM action JOIN wallet ON wallet.uid = action.wallet_uid
      LEFT JOIN action_grant ON action_grant.action_id = action.id
      WHERE action.id IN ${textList(tx.dialect, '$1')} AND action.status = 'PENDING' AND action.stage = 'signed'`,
    [JSON.stringify([...byId.keys()])],
  );
  const steps: Parameters<typeof recordSteps>[1][number][] = [];
  const grants: [string, SealedGrant][] = [];
  const changes: Record<keyof typeof columns, SqlValue>[] = [];
  const stuck: Settlement[] = [];
  for (const row of rows) {
    const next = byId.get(row.id);
    if (next === undefined) continue;
    if (row.steps >= mostTransactions) {
      stuck.push(failure(row.id, true, next.plan === null ? neverTaken(next.detail) : endless(next.detail)));
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
    const expired = `${next.detail} Another one is made: number ${row.steps + 1} of the action.`;
    changes.push({
      ...{ id: row.id, plan },
      waiting: plainWords(next.plan === null ? expired : next.detail),
      executed: next.executed ? 1 : 0,
      sent_at: next.sentAt ?? null,
    });
  }
  if (changes.length === 0) return { ids: [], stuck };
  const ids = changes.map(({ id }) => String(id));
  await tx.run(
    `UPDATE action SET stage = 'ready', plan = j.plan, waiting = j.waiting, waiting_code = 'next-transaction',
      waiting_since = $2, sent_at = COALESCE(action.sent_at, j.sent_at),
      deadline = CASE WHEN j.executed = 1 THEN ${never} ELSE deadline END, updated_at = $2
      FROM ${rowset(tx.dialect, '$1', columns)} WHERE action.id = j.id`,
    [JSON.stringify(changes), now],
  );
  await tx.run(
    `UPDATE attempt SET settled_at = $2 WHERE action_id IN ${textList(tx.dialect, '$1')} AND settled_at IS NULL`,
    [JSON.stringify(ids), now],
  );
  await eraseGrants(tx, ids);
  await insertGrants(tx, grants);
  await recordSteps(tx, steps, now);
  return { ids, stuck };
}

/** The grant bound to another plan; null when it does not open. */
function rebind(vault: Vault, row: Row, plan: string): SealedGrant | null {
  const grant = openGrant(vault, row, row.key_type);
  if (grant === null) return null;
  try {
    return sealGrant(vault, { ...row, plan }, grant);
  } finally {
    grant.key.destroy();
  }
}

function noGrant(detail: string) {
  return new Problem(
    'plugin-fault',
    `The ledger plugin asks for another transaction (${detail}), but it had not said that there might be one: what signs it is erased.`,
  ).toDocument();
}

function neverTaken(detail: string) {
  return new Problem(
    'expired',
    `The action has had ${mostTransactions} transactions, as many as it may have. ${detail}`,
  ).toDocument();
}

function endless(detail: string) {
  return new Problem(
    'plugin-fault',
    `The ledger plugin asks for another transaction (${detail}) after ${mostTransactions} of the action.`,
  ).toDocument();
}
