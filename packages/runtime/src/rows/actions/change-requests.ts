import { Problem, type ProblemDocument } from '@ledger-ops/base';
import type { Queries, SqlValue, Tx } from '@ledger-ops/store';
import type { SealedGrant } from '../attempts/signing-grant.ts';
import { type Change, failure } from '../model.ts';
import { recordSteps, type StepRow, stepColumns } from '../record-activity.ts';
import { textList } from '../sql.ts';
import { type Settled, settle } from './settle.ts';

/** The end of an action that was cancelled. */
export function cancelled(detail: string): ProblemDocument {
  return new Problem('cancelled', `The action was cancelled on request. ${detail}`).toDocument();
}

export interface ChangeRequest {
  actionId: string;
  change: Change;
  by: { serviceId: string; appId: string };
  /** When. */
  at: number;
  /** Whoever asks has found that it is signed. */
  isSigned: boolean;
  /** Signs replacements where nothing was kept that does; kept from then on. */
  grant: SealedGrant | null;
}

/**
 * `ended`: not signed yet, and cancelled. `stored`: done by whoever has the lane. `moved`: the action is no longer
 * where it was found to be.
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
}

/**
 * Stores a request, so that it survives any crash. The row is locked by the change, so that what is signed meanwhile is
 * seen: it is either cancelled here, or signed, never both.
 * @throws Moved
 */
export async function recordChangeRequest(tx: Tx, request: ChangeRequest): Promise<ChangeResult> {
  const { actionId, change, by, at, grant } = request;
  const [row] = await tx.all<Row>(
    `UPDATE action SET change = $2, change_cap = $3, updated_at = $4
      WHERE action.id = $1 AND action.status = 'PENDING' AND (action.change IS NULL OR action.change = 'hurry')
      RETURNING ${stepColumns}, action.stage AS stage, action.chain AS chain`,
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
  const problem = cancelled(await whatIsLeft(tx, actionId));
  const settled = await settle(tx, [failure(actionId, false, problem)], at);
  return { status: 'ended', problem, settled };
}

/** The action was signed, or is not any more, since it was looked at: nothing was written. */
export class Moved extends Error {
  override readonly name = 'Moved';
}

async function whatIsLeft(tx: Tx, actionId: string): Promise<string> {
  const [earlier] = await tx.all('SELECT tx_id FROM attempt WHERE action_id = $1 LIMIT 1', [actionId]);
  return earlier === undefined
    ? 'It was not signed yet: nothing was sent.'
    : 'What its earlier transactions put on the ledger stays there; no other one follows.';
}

/** A signed action with an open request. */
export interface ChangeRequestRow extends Record<string, SqlValue> {
  id: string;
  shard: number;
  change: string | null;
  change_cap: string | null;
  /** 1: something is kept that signs replacements. */
  kept: number;
}

/** The open requests of a chain. */
export async function readChangeRequests(read: Queries, chain: string): Promise<ChangeRequestRow[]> {
  return read.all<ChangeRequestRow>(
    `SELECT id, shard, change, change_cap, CASE WHEN EXISTS (
        SELECT 1 FROM attempt WHERE attempt.action_id = action.id AND attempt.sealed IS NOT NULL
      ) THEN 1 ELSE 0 END AS kept
      FROM action WHERE chain = $1 AND status = 'PENDING' AND change IS NOT NULL AND stage = 'signed'`,
    [chain],
  );
}

/** The requests to hurry these are done, and they wait for their ends like any other; one to cancel stays. */
export async function endHurries(tx: Tx, actionIds: readonly string[]): Promise<void> {
  await tx.run(
    `UPDATE action SET change = NULL, change_cap = NULL
      WHERE id IN ${textList(tx.dialect, '$1')} AND status = 'PENDING' AND change = 'hurry'`,
    [JSON.stringify(actionIds)],
  );
}

/** The answer to a request about an action that has ended. */
export function hasEnded(actionId: string, status: string): Problem {
  return new Problem(
    'conflict',
    `The action ${actionId} has ended: it is ${status}. Nothing of it can change.`,
  );
}
