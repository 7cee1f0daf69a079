import type { Queries, SqlValue } from '@ledger-ops/store';
import { suspendedSql } from './suspensions.ts';

/** Unsigned actions of a ledger that wait for one reason. */
export interface WaitingRow extends Record<string, SqlValue> {
  ledger_id: string;
  stage: string;
  code: string | null;
  count: number;
  /** When the oldest of them was accepted. */
  oldest: number;
}

/** Rows that are read of each shard and stage: its oldest. */
const waitingLimit = 1_000;

/** Counts what waits unsigned on these shards of a chain, each shard and stage up to a limit, its oldest first. */
export async function readWaiting(
  read: Pick<Queries, 'all'>,
  chain: string,
  shards: readonly number[],
): Promise<WaitingRow[]> {
  if (shards.length === 0) return [];
  return read.all<WaitingRow>(waitingSql(shards), [chain]);
}

/** The reason of an unsigned action as it is now: a suspension is told of what could be signed else. */
export const codeSql = `CASE WHEN stage = 'ready' AND ${suspendedSql()} THEN 'suspended' ELSE waiting_code END AS waiting_code`;

/** Each part is the beginning of a range of the index `action_lane`. */
export function waitingSql(shards: readonly number[]): string {
  const parts = shards.flatMap((shard) =>
    ['blocked', 'ready'].map(
      (stage) => `SELECT * FROM (SELECT ledger_id, stage, ${codeSql}, created_at FROM action
        WHERE chain = $1 AND shard = ${shard} AND stage = '${stage}' AND status = 'PENDING'
        ORDER BY created_at, id LIMIT ${waitingLimit}) AS part`,
    ),
  );
  return `SELECT ledger_id, stage, waiting_code AS code, COUNT(*) AS count, MIN(created_at) AS oldest
    FROM (${parts.join(' UNION ALL ')}) AS waiting GROUP BY ledger_id, stage, waiting_code`;
}

/** Actions whose ends their ledgers took back, at some time, by ledger; of the whole database. */
export async function readRetracted(
  read: Pick<Queries, 'all'>,
): Promise<{ ledger_id: string; count: number }[]> {
  return read.all<{ ledger_id: string; count: number }>(
    'SELECT ledger_id, COUNT(*) AS count FROM action WHERE retracted_at IS NOT NULL GROUP BY ledger_id',
  );
}
