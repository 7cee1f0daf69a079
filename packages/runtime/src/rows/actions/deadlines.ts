import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { failure, type Settlement } from '../model.ts';
import { readSuspensionWords } from './suspensions.ts';

/** Ends of actions of these shards that were not signed in time; not all of very many at once. */
export async function readExpired(
  read: Queries,
  chain: string,
  shards: readonly number[],
  now: number,
): Promise<Settlement[]> {
  if (shards.length === 0) return [];
  const late = await read.all<{
    id: string;
    ledgerUid: string;
    projectId: string;
    walletUid: string;
    waiting: string | null;
    tries: number;
  }>(
    `SELECT id, ledger_uid AS "ledgerUid", project_id AS "projectId", wallet_uid AS "walletUid", waiting, (SELECT COUNT(*) FROM attempt WHERE attempt.action_id = action.id) AS tries FROM action WHERE chain = $1 AND shard IN (${shards.join(', ')}) AND status = 'PENDING' AND stage IN ('blocked', 'ready') AND deadline <= $2 ORDER BY deadline LIMIT 500`,
    [chain, now],
  );
  const suspended = await readSuspensionWords(read, late);
  return late.map((action) => {
    const words = suspended(action.id);
    const why = words.length === 0 ? action.waiting : words.join(' ');
    return failure(action.id, false, deadlinePassed(why, action.tries > 0).toDocument());
  });
}

/** @param isOver it was signed before, and what was signed is over: nothing of it was executed, nor ever will be */
function deadlinePassed(waiting: string | null, isOver: boolean): Problem {
  const passed = isOver
    ? 'The deadline passed before the action could be signed again. What was signed of it executed nothing, and never will.'
    : 'The deadline passed before the action could be signed.';
  return new Problem(
    'deadline-passed',
    waiting === null ? passed : `${passed} It waited because: ${waiting}`,
  );
}
