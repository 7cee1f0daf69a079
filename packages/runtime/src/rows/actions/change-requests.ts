import { Problem, type ProblemDocument } from '@ledger-ops/base';
import type { Queries, SqlValue, Tx } from '@ledger-ops/store';
import type { SealedGrant } from '../attempts/signing-grant.ts';
import { type Change, failure, possiblyExecuted } from '../model.ts';
import { recordSteps, type StepRow, stepColumns } from '../record-activity.ts';
import { textList } from '../sql.ts';
import { hasUnknown, mayBeExecuted } from '../unknown-transactions.ts';
import type { Compared } from './dependents.ts';
import { type Settled, settle } from './settle.ts';

/** Returns the problem of a canceled action. @param extensions see `possiblyExecuted` */
export function cancelled(detail: string, extensions = {}): ProblemDocument {
  return new Problem('cancelled', `The action was canceled on request. ${detail}`, {
    extensions,
  }).toDocument();
}

export interface ChangeRequest {
  actionId: string;
  change: Change;
  by: { serviceId: string; appId: string };
  at: number;
  /** Whether the action was signed when it was read for this request. */
  isSigned: boolean;
  /** Whether the account of an unsigned action was just compared with its ledger, or needs no comparison. */
  isCompared: boolean;
  /** Accounts of dependent actions that were just compared with their ledgers or need no comparison. */
  compared: Compared;
  /**
   * Grant with which the replacement will be signed. It is stored with the attempt, unless a grant is already stored
   * there.
   */
  grant: SealedGrant | null;
}

/**
 * `ended`: the action was unsigned and is now canceled. `stored`: the request is stored, and the server that holds the
 * action's shard will carry it out. `moved`: the action was signed, or became unsigned again, since it was read.
 */
export type ChangeResult =
  | { status: 'ended'; problem: ProblemDocument; settled: Settled }
  | { status: 'stored'; chain: string }
  | { status: 'moved' };

interface Row extends StepRow, Record<string, SqlValue> {
  id: string;
  project_id: string;
  wallet_uid: string;
  wallet_id: string;
  given_id: string | null;
  stage: string;
  chain: string;
  address: string;
  ledger_uid: string;
}

/**
 * Stores a request durably. The update locks the row: a concurrent signature is then either complete, or waits. So the
 * action is either canceled or signed, never both.
 * @throws Moved
 */
export async function recordChangeRequest(tx: Tx, request: ChangeRequest): Promise<ChangeResult> {
  const { actionId, change, by, at, isCompared, grant } = request;
  const [row] = await tx.all<Row>(
    `UPDATE action SET change = $2, change_cap = $3, updated_at = $4
      WHERE action.id = $1 AND action.status = 'PENDING' AND (action.change IS NULL OR action.change <> 'cancel')
      RETURNING ${stepColumns}, action.stage AS stage, action.chain AS chain, action.address AS address,
        action.ledger_uid AS ledger_uid`,
    [actionId, change.kind, change.cap?.toString() ?? null, at],
  );
  if (row === undefined) return { status: 'moved' };
  if ((row.stage === 'signed') !== request.isSigned) throw new Moved();
  await recordSteps(tx, [{ step: change.kind, row, by }], at);
  if (row.stage === 'signed') {
    if (grant !== null) {
      await tx.run(
        `UPDATE attempt SET sealed = $2, secret = $3 WHERE action_id = $1 AND sealed IS NULL AND settled_at IS NULL
          AND n = (SELECT MIN(first.n) FROM attempt AS first WHERE first.action_id = $1 AND first.settled_at IS NULL)`,
        [actionId, grant.sealed, grant.secret],
      );
    }
    return { status: 'stored', chain: row.chain };
  }
  const isUnknown = await hasUnknown(tx, row.chain, row.address);
  const problem =
    isUnknown || !isCompared
      ? cancelled(isUnknown ? mayBeExecuted : notCompared, possiblyExecuted)
      : cancelled(await describeSent(tx, actionId));
  const settled = await settle(tx, [failure(actionId, false, problem)], at, request.compared);
  return { status: 'ended', problem, settled };
}

/** The action was signed, or became unsigned again, since it was read. Nothing was written. */
export class Moved extends Error {
  override readonly name = 'Moved';
}

const notCompared =
  "This service did not sign the action, but the action's wallet could not be compared with the ledger. If the database was restored to an earlier state, an unknown transaction may have executed the action.";

async function describeSent(tx: Tx, actionId: string): Promise<string> {
  const [earlier] = await tx.all<{ sequence: number | null }>(
    "SELECT sequence FROM attempt WHERE action_id = $1 AND kind <> 'filler' LIMIT 1",
    [actionId],
  );
  if (earlier === undefined) return 'The action was not signed yet, so nothing was sent.';
  return earlier.sequence !== null
    ? "Another transaction had used the action's nonce, so nothing was executed."
    : "The action's earlier transactions remain on the ledger. No other transaction is signed for the action.";
}

/** A signed action with an open change request. */
export interface ChangeRequestRow extends Record<string, SqlValue> {
  id: string;
  shard: number;
  change: string | null;
  change_cap: string | null;
  /** 1 if a grant is stored, with which replacements can be signed. */
  kept: number;
}

export async function readChangeRequests(read: Queries, chain: string): Promise<ChangeRequestRow[]> {
  return read.all<ChangeRequestRow>(
    `SELECT id, shard, change, change_cap, CASE WHEN EXISTS (
        SELECT 1 FROM attempt WHERE attempt.action_id = action.id AND attempt.sealed IS NOT NULL
      ) THEN 1 ELSE 0 END AS kept
      FROM action WHERE chain = $1 AND status = 'PENDING' AND change IS NOT NULL AND stage = 'signed'`,
    [chain],
  );
}

/** Deletes completed requests for higher fees. Requests to cancel are not deleted. */
export async function endHurries(tx: Tx, actionIds: readonly string[]): Promise<void> {
  await tx.run(
    `UPDATE action SET change = NULL, change_cap = NULL
      WHERE id IN ${textList(tx.dialect, '$1')} AND status = 'PENDING' AND change = 'hurry'`,
    [JSON.stringify(actionIds)],
  );
}

/** Returns the problem for a request about a finished action. */
export function hasEnded(actionId: string, status: string): Problem {
  return new Problem(
    'conflict',
    `The action ${actionId} is already ${status}, so it can no longer be changed.`,
  );
}
