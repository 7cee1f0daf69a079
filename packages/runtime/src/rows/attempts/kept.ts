import type { Queries } from '@ledger-ops/store';
import { textList } from '../sql.ts';

/**
 * Condition: of an action's transactions the one that is sent again. What has failed without one on the ledger is not:
 * another transaction took its nonce, or its chain was given up, and nothing of it may be executed any more. What only
 * fills a sequence is, whatever became of the action that waited above it.
 */
export const kept = `attempt.bytes IS NOT NULL AND attempt.note IS NULL
        AND CASE WHEN attempt.kind = 'filler' THEN TRUE WHEN action.status <> 'PENDING' THEN attempt.tx_id = action.locator
          WHEN attempt.sequence IS NULL THEN attempt.settled_at IS NULL ELSE attempt.n = 0 END`;

const attempts = 'FROM attempt JOIN action ON action.id = attempt.action_id WHERE attempt.chain = $1';
const ofEnded = " AND action.status <> 'PENDING'";

/** The accounts of these shards for which something is kept, with the highest sequence of it. */
export async function readHighestKept(
  read: Queries,
  chain: string,
  shards: readonly number[],
  endedOnly: boolean,
): Promise<{ address: string; highest: number }[]> {
  return read.all(
    `SELECT attempt.address, max(attempt.sequence) AS highest ${attempts} AND ${kept}${endedOnly ? ofEnded : ''}
      AND attempt.shard IN (${shards.join(', ')}) AND attempt.sequence IS NOT NULL GROUP BY attempt.address`,
    [chain],
  );
}

/** From this sequence on, in their order. */
export async function readKeptFrom(
  read: Queries,
  chain: string,
  address: string,
  from: number,
  endedOnly: boolean,
  limit: number,
): Promise<{ tx_id: string; sequence: number; bytes: Uint8Array }[]> {
  return read.all(
    `SELECT attempt.tx_id, attempt.sequence, attempt.bytes ${attempts} AND ${kept}${endedOnly ? ofEnded : ''}
      AND attempt.address = $2 AND attempt.sequence >= $3 ORDER BY attempt.sequence LIMIT ${limit}`,
    [chain, address, from],
  );
}

/** From a sequence on and below another, in the order of sequences and of signing. */
export async function readKeptBetween(
  read: Queries,
  chain: string,
  address: string,
  from: number,
  to: number,
): Promise<{ tx_id: string; bytes: Uint8Array; kind: string; sequence: number; created_at: number }[]> {
  return read.all(
    `SELECT attempt.tx_id, attempt.bytes, attempt.kind, attempt.sequence, attempt.created_at ${attempts} AND ${kept}
      AND attempt.address = $2 AND attempt.sequence >= $3 AND attempt.sequence < $4
      ORDER BY attempt.sequence, attempt.created_at`,
    [chain, address, from, to],
  );
}

/** On these shards of a ledger's transactions without a sequence, with one of these plugins. */
export async function readKeptUnsequenced(
  read: Queries,
  { chain, ledgerUid, plugins }: { chain: string; ledgerUid: string; plugins: readonly string[] },
  shards: readonly number[],
): Promise<{ tx_id: string; bytes: Uint8Array }[]> {
  return read.all(
    `SELECT attempt.tx_id, attempt.bytes ${attempts} AND ${kept} AND action.ledger_uid = $2
      AND (action.plugin IS NULL OR action.plugin IN ${textList(read.dialect, '$3')})
      AND attempt.shard IN (${shards.join(', ')}) AND attempt.sequence IS NULL`,
    [chain, ledgerUid, JSON.stringify(plugins)],
  );
}

/** The lowest sequence of an account from this one on for which something is kept; null: none. */
export async function readFirstKept(
  read: Queries,
  chain: string,
  address: string,
  from: number,
): Promise<number | null> {
  const [row] = await read.all<{ sequence: number | null }>(
    `SELECT min(attempt.sequence) AS sequence ${attempts} AND attempt.address = $2 AND attempt.sequence >= $3 AND ${kept}`,
    [chain, address, from],
  );
  return row?.sequence ?? null;
}

/** The transaction of an account with the highest sequence, from this one on, that the ledger took; null: none. */
export async function readLastTaken(
  read: Queries,
  chain: string,
  address: string,
  from: number,
): Promise<string | null> {
  const [row] = await read.all<{ locator: string }>(
    `SELECT action.locator ${attempts} AND attempt.address = $2 AND attempt.sequence >= $3
      AND attempt.tx_id = action.locator ORDER BY attempt.sequence DESC LIMIT 1`,
    [chain, address, from],
  );
  return row?.locator ?? null;
}

/**
 * Whether the ledger took one of ours at one of these sequences, from `from` on, whose bytes are kept no more. One that
 * nobody here signed, or that another transaction had taken, is free again.
 */
export async function isForgotten(
  read: Queries,
  chain: string,
  address: string,
  from: number,
  to: number,
): Promise<boolean> {
  const rows = await read.all(
    `SELECT attempt.tx_id ${attempts} AND attempt.address = $2 AND attempt.sequence >= $3 AND attempt.sequence < $4
      AND attempt.bytes IS NULL AND attempt.tx_id = action.locator
      UNION ALL SELECT address FROM sequence WHERE chain = $1 AND address = $2 AND removed >= $3 LIMIT 1`,
    [chain, address, from, to],
  );
  return rows.length > 0;
}
