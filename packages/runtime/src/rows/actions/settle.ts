import { Problem, problemType } from '@ledger-ops/base';
import { type SqlValue, type Tx, together } from '@ledger-ops/store';
import { releaseClaims } from '../attempts/claims.ts';
import { eraseGrants } from '../attempts/signing-grant.ts';
import { failure, possiblyExecuted, type Settlement } from '../model.ts';
import { recordSteps, type StepRow, stepColumns } from '../record-activity.ts';
import { rowset, textList } from '../sql.ts';
import { accountKey, type Compared } from './dependents.ts';
import { type ListedRow, listEnded, listedColumns } from './listings.ts';
import { addToSummaries } from './summaries.ts';

/** Effects of settling actions, including those on dependent actions. */
export interface Settled {
  /** Ids of all completed actions, including dependents. */
  ended: string[];
  /** The completed actions, including dependents, with the data that metrics and traces need. */
  ends: End[];
  /** Keys of the chains on which dependents became ready. */
  wake: string[];
}

/** A completed action. */
export interface End {
  id: string;
  /** W3C trace context; null if it is derived from the id. */
  trace: string | null;
  ledgerId: string;
  status: 'succeeded' | 'failed' | 'cancelled';
  acceptedAt: number;
  endedAt: number;
  /** In the smallest unit of the ledger's currency, as decimal text. */
  fee: string | null;
}

type SettledRow = StepRow &
  ListedRow & {
    trace: string | null;
    /** 1 if the action has rows in table `claim`. */
    claims: number;
  } & Record<string, SqlValue>;

const settlementColumns = {
  id: 'text',
  status: 'text',
  signed: 'bigint',
  locator: 'text',
  contract_address: 'text',
  height: 'bigint',
  block_time: 'bigint',
  fee: 'text',
  details: 'text',
  problem: 'text',
  sent_at: 'bigint',
} as const;

/**
 * Stores the outcomes of actions. Releases the dependents of succeeded actions, and fails the dependents of failed
 * actions. Outcomes are final: settling an action again changes nothing.
 *
 * @param compared accounts that were just compared with their ledgers. A dependent of another account fails with a
 * problem that says that it may have been executed.
 */
export async function settle(
  tx: Tx,
  settlements: readonly Settlement[],
  now: number,
  compared: Compared = new Set(),
): Promise<Settled> {
  const ended: string[] = [];
  const ends: End[] = [];
  const wake = new Set<string>();
  let batch = settlements;
  while (batch.length > 0) {
    const rows = batch.map((s) => ({
      id: s.actionId,
      status: s.status,
      signed: s.signed ? 1 : 0,
      locator: s.locator,
      contract_address: s.contractAddress,
      height: s.height,
      block_time: s.blockTime,
      fee: s.fee,
      details: s.details,
      problem: s.problem === null ? null : JSON.stringify(s.problem),
      sent_at: s.sentAt ?? null,
    }));
    const changed = await tx.all<SettledRow>(
      `UPDATE action SET status = j.status, stage = 'done', locator = j.locator, contract_address = j.contract_address,
        height = j.height, block_time = j.block_time, fee = j.fee, details = j.details, problem = j.problem, waiting = NULL, waiting_code = NULL,
        waiting_since = NULL, sent_at = COALESCE(action.sent_at, j.sent_at), updated_at = $2, ended_at = $2
        FROM ${rowset(tx.dialect, '$1', settlementColumns)}
        WHERE action.id = j.id AND action.status = 'PENDING'
        AND ((j.signed = 1 AND action.stage = 'signed') OR (j.signed = 0 AND action.stage IN ('blocked', 'ready')))
        RETURNING ${stepColumns}, ${listedColumns}, action.trace AS trace,
          CASE WHEN EXISTS (SELECT 1 FROM claim WHERE claim.action_id = action.id) THEN 1 ELSE 0 END AS claims`,
      [JSON.stringify(rows), now],
    );
    if (changed.length === 0) break;
    const ids = changed.map(({ id }) => id);
    const given = new Map(batch.map((one) => [one.actionId, one]));
    const ending = changed.map((row) => ({ row, end: endOf(row, given.get(row.id), now) }));
    const succeeded = changed.filter(({ status }) => status === 'SUCCEEDED').map(({ id }) => id);
    const failed = changed.filter(({ status }) => status === 'FAILED').map(({ id }) => id);
    const [released] = await together(
      releaseDependents(tx, succeeded, now),
      tx.run(
        `UPDATE attempt SET settled_at = $2, sealed = NULL, secret = NULL WHERE action_id IN ${textList(tx.dialect, '$1')} AND settled_at IS NULL`,
        [JSON.stringify(ids), now],
      ),
      releaseClaims(
        tx,
        changed.filter(({ claims }) => claims === 1).map(({ id }) => id),
      ),
      listEnded(tx, changed, now),
      eraseGrants(tx, ids),
      recordSteps(
        tx,
        changed.map((row) => ({ step: row.status === 'SUCCEEDED' ? 'succeed' : 'fail', row })),
        now,
      ),
      addToSummaries(
        tx,
        ending.map(({ row, end }) => ({
          ...{ projectUid: row.project_id, ledgerUid: row.ledger_uid, fee: given.get(row.id)?.fee ?? null },
          outcome: end.status === 'cancelled' ? 'canceled' : end.status,
          durationMs: now - row.created_at,
        })),
        now,
      ),
    );
    ended.push(...ids);
    ends.push(...ending.map(({ end }) => end));
    for (const chain of released) wake.add(chain);
    batch = [];
    if (failed.length > 0) batch = await dependentsOf(tx, failed, compared);
  }
  return { ended, ends, wake: [...wake] };
}

function endOf(
  { id, ledger_id, status, created_at, trace }: SettledRow,
  given: Settlement | undefined,
  now: number,
): End {
  const failed = given?.problem?.type === problemType('cancelled') ? 'cancelled' : 'failed';
  return {
    id,
    trace,
    ledgerId: ledger_id,
    status: status === 'SUCCEEDED' ? 'succeeded' : failed,
    acceptedAt: created_at,
    endedAt: now,
    fee: given?.fee ?? null,
  };
}

async function releaseDependents(tx: Tx, succeeded: readonly string[], now: number): Promise<string[]> {
  if (succeeded.length === 0) return [];
  const released = await tx.all<{ chain: string; stage: string }>(
    `UPDATE action SET blockers = blockers - d.n,
      min_height = CASE WHEN d.height > min_height THEN d.height ELSE min_height END,
      stage = CASE WHEN blockers = d.n THEN 'ready' ELSE stage END, updated_at = $2
      FROM (
        SELECT link.action_id AS action_id, COUNT(*) AS n,
          MAX(CASE WHEN past.chain = waiting.chain THEN COALESCE(past.height, 0) ELSE 0 END) AS height
        FROM action_dependency AS link
        JOIN action AS past ON past.id = link.dependency_id
        JOIN action AS waiting ON waiting.id = link.action_id
        WHERE link.dependency_id IN ${textList(tx.dialect, '$1')}
        GROUP BY link.action_id
      ) AS d
      WHERE action.id = d.action_id AND action.status = 'PENDING' AND action.stage = 'blocked'
      RETURNING action.chain AS chain, action.stage AS stage`,
    [JSON.stringify(succeeded), now],
  );
  return released.filter(({ stage }) => stage === 'ready').map(({ chain }) => chain);
}

async function dependentsOf(tx: Tx, failed: readonly string[], compared: Compared): Promise<Settlement[]> {
  const rows = await tx.all<{
    action_id: string;
    dependency_id: string;
    chain: string;
    address: string;
    unknown: number;
  }>(
    `SELECT link.action_id, MIN(link.dependency_id) AS dependency_id, action.chain AS chain, action.address AS address,
      MAX(CASE WHEN EXISTS (
        SELECT 1 FROM unknown_transaction AS known WHERE (known.chain = action.chain AND known.address = action.address)
          OR (known.chain = dependency.chain AND known.address = dependency.address)
      ) THEN 1 ELSE 0 END) AS "unknown"
      FROM action_dependency AS link JOIN action ON action.id = link.action_id
      JOIN action AS dependency ON dependency.id = link.dependency_id
      WHERE link.dependency_id IN ${textList(tx.dialect, '$1')} AND action.status = 'PENDING'
      GROUP BY link.action_id, action.chain, action.address`,
    [JSON.stringify(failed)],
  );
  return rows.map(({ action_id, dependency_id, chain, address, unknown }) => {
    const notCompared = compared.has(accountKey(chain, address)) ? null : 'not-compared';
    return dependencyFailed(action_id, dependency_id, unknown === 1 ? 'unknown' : notCompared);
  });
}

/**
 * Why an unsigned action may have been executed: its account has unknown transactions, or could not be compared with
 * its ledger.
 */
export type Doubt = 'unknown' | 'not-compared';

const doubts: Readonly<Record<Doubt, string>> = {
  unknown: " This action's wallets have unknown transactions, and one of them may have executed the action.",
  'not-compared':
    " This action's wallet could not be compared with the ledger. If the database was restored to an earlier state, an unknown transaction may have executed the action.",
};

/** Returns the failure of an action whose dependency failed. */
export function dependencyFailed(actionId: string, dependency: string, doubt: Doubt | null): Settlement {
  const isDoubtful = doubt !== null;
  const problem = new Problem(
    'dependency-failed',
    `The action ${dependency}, on which this action depends, failed.${isDoubtful ? doubts[doubt] : ''}`,
    {
      extensions: { dependency, ...(isDoubtful ? possiblyExecuted : {}) },
    },
  );
  return failure(actionId, false, problem.toDocument());
}
