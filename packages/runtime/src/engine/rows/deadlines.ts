import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { failure, type Settlement } from './model.ts';

/** Ends of actions of these shards that were not signed in time; not all of very many at once. */
export async function readExpired(
  read: Queries,
  chain: string,
  shards: readonly number[],
  now: number,
): Promise<Settlement[]> {
  if (shards.length === 0) return [];
  const late = await read.all<{ id: string; waiting: string | null }>(
    `SELECT id, waiting FROM action WHERE chain = $1 AND shard IN (${shards.join(', ')}) AND status = 'PENDING' AND stage IN ('blocked', 'ready') AND deadline <= $2 ORDER BY deadline LIMIT 500`,
    [chain, now],
  );
  return late.map(({ id, waiting }) => failure(id, false, deadlinePassed(waiting).toDocument()));
}

function deadlinePassed(waiting: string | null): Problem {
  return new Problem(
    'deadline-passed',
    waiting === null
      ? 'The deadline passed before the action could be signed.'
      : `The deadline passed before the action could be signed. It waited because: ${waiting}`,
  );
}
