import type { Queries } from '@ledger-ops/store';
import { among, textList } from '../sql.ts';

/**
 * SQL condition: the attempt is resent if the chain loses it. This applies to no attempt of an action that failed
 * without a transaction on the ledger: it must no longer be executed, because another transaction used its nonce or its
 * chain was given up. For the same reason, transactions of a pending action are not resent if another transaction used
 * their nonce. Fillers are resent whatever the outcome of their action was. Outside transactions cannot be resent,
 * because their bytes are not known.
 */
export const kept = `attempt.bytes IS NOT NULL AND attempt.note IS NULL AND attempt.kind <> 'outside'
        AND CASE WHEN attempt.kind = 'filler' THEN TRUE WHEN action.status <> 'PENDING' THEN attempt.tx_id = action.locator
          WHEN attempt.sequence IS NULL THEN attempt.settled_at IS NULL ELSE attempt.kind = 'main' AND attempt.settled_at IS NULL END`;

const attempts = 'FROM attempt JOIN action ON action.id = attempt.action_id WHERE attempt.chain = $1';
const ofEnded = " AND action.status <> 'PENDING'";

/** Returns the accounts of these shards that have kept transactions, each with the highest sequence of these. */
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

/** Returns the kept transactions of an account from a sequence on, ordered by sequence. */
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

/**
 * Returns the kept transactions of an account in a range of sequences (`to` is exclusive), ordered by sequence and time
 * of signing.
 */
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

/**
 * Returns the kept transactions without a sequence of one ledger, these plugins and these shards. They are resent if
 * the ledger does not contain them. Omits those of finished actions that are compared with the ledger (`readPast`).
 */
export async function readKeptUnsequenced(
  read: Queries,
  { chain, ledgerUid, plugins }: { chain: string; ledgerUid: string; plugins: readonly string[] },
  shards: readonly number[],
): Promise<{ tx_id: string; bytes: Uint8Array }[]> {
  return read.all(
    `SELECT attempt.tx_id, attempt.bytes ${attempts} AND ${kept} AND action.ledger_uid = $2
      AND (action.plugin IS NULL OR action.plugin IN ${textList(read.dialect, '$3')})
      AND attempt.shard IN (${shards.join(', ')}) AND attempt.sequence IS NULL
      AND (action.status = 'PENDING' OR attempt.valid_until IS NULL AND attempt.claims IS NULL)`,
    [chain, ledgerUid, JSON.stringify(plugins)],
  );
}

/** Returns those of these transactions whose bytes are still stored. */
export async function readKeptOf(
  read: Queries,
  chain: string,
  txIds: readonly string[],
): Promise<{ tx_id: string; bytes: Uint8Array }[]> {
  if (txIds.length === 0) return [];
  return read.all(
    `SELECT attempt.tx_id, attempt.bytes ${attempts} AND ${kept} AND ${among(read.dialect, 'attempt.tx_id', '$2')}`,
    [chain, JSON.stringify(txIds)],
  );
}

/**
 * Returns the lowest sequence, at or after `from`, for which a kept transaction of the account exists; null if there is
 * none.
 */
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

/**
 * Returns the id of the account's executed transaction with the highest sequence at or after `from`; null if there is
 * none.
 */
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
 * Whether this range contains the sequence of an executed transaction of this service whose bytes were deleted, so that
 * it cannot be resent. After a reorg, sequences that this service never signed for, or that only an outside transaction
 * used, can be assigned again.
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
