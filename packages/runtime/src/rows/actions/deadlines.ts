import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { failure, type Settlement } from '../model.ts';
import { textList } from '../sql.ts';
import { readSuspensionReasons } from './suspensions.ts';

/** An unsigned action whose deadline has passed. */
export interface ExpiredAction {
  readonly address: string;
  readonly shard: number;
  readonly ledgerUid: string;
  /**
   * Whether an operator gave up the action (`end-pending`, `adopt`). If so, it fails even if it may have been executed.
   */
  readonly isEndedByPerson: boolean;
  readonly settlement: Settlement;
}

/**
 * Reads the unsigned actions of these shards whose deadline has passed, at most 500 per call.
 * @param withoutAddresses accounts whose actions are omitted, except actions that an operator gave up
 */
export async function readExpired(
  read: Queries,
  chain: string,
  shards: readonly number[],
  now: number,
  withoutAddresses: readonly string[],
): Promise<ExpiredAction[]> {
  if (shards.length === 0) return [];
  const late = await read.all<{
    id: string;
    ledgerUid: string;
    projectId: string;
    walletUid: string;
    waiting: string | null;
    tries: number;
    address: string;
    shard: number;
    deadline: number;
  }>(
    `SELECT id, address, shard, deadline, ledger_uid AS "ledgerUid", project_id AS "projectId", wallet_uid AS "walletUid", waiting, (SELECT COUNT(*) FROM attempt WHERE attempt.action_id = action.id) AS tries FROM action WHERE chain = $1 AND shard IN (${shards.join(', ')}) AND status = 'PENDING' AND stage IN ('blocked', 'ready') AND deadline <= $2 AND (deadline = 0 OR address NOT IN ${textList(read.dialect, '$3')}) ORDER BY deadline LIMIT 500`,
    [chain, now, JSON.stringify(withoutAddresses)],
  );
  const suspended = await readSuspensionReasons(read, late);
  return late.map((action) => {
    const reasons = suspended(action.id);
    const why = reasons.length === 0 ? action.waiting : reasons.join(' ');
    const { address, shard, ledgerUid, deadline } = action;
    const settlement = failure(action.id, false, deadlinePassed(why, action.tries > 0).toDocument());
    return { address, shard, ledgerUid, isEndedByPerson: deadline === 0, settlement };
  });
}

/** @param wasSigned whether the action has earlier transactions. They did not execute anything and never will. */
function deadlinePassed(waiting: string | null, wasSigned: boolean): Problem {
  const passed = wasSigned
    ? 'The deadline passed before the action could be signed again. Its signed transactions did not execute anything and never will.'
    : 'The deadline passed before the action could be signed.';
  return new Problem(
    'deadline-passed',
    waiting === null ? passed : `${passed} Why it was waiting: ${waiting}`,
  );
}
