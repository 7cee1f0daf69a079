import type { Cursor } from '@ledger-ops/adapter';
import type { Queries, Tx } from '@ledger-ops/store';
import { textList } from '../sql.ts';

/** Returns the last confirmed block that was read from a ledger, and its chain; null if none was read yet. */
export async function readMark(
  read: Queries,
  ledgerUid: string,
): Promise<{ chain: string; height: number; hash: string } | null> {
  const [row] = await read.all<{ chain: string; height: number; hash: string }>(
    'SELECT chain, height, hash FROM chain_mark WHERE ledger_uid = $1',
    [ledgerUid],
  );
  return row ?? null;
}

/** @param settledAt when actions of the ledger were last settled; null keeps the stored time */
export async function storeMark(
  tx: Tx,
  ledgerUid: string,
  chain: string,
  { height, hash }: Cursor,
  settledAt: number | null,
): Promise<void> {
  await tx.run(
    `INSERT INTO chain_mark (ledger_uid, chain, height, hash, settled_at) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (ledger_uid) DO UPDATE SET chain = excluded.chain, height = excluded.height, hash = excluded.hash,
      settled_at = coalesce(excluded.settled_at, chain_mark.settled_at)`,
    [ledgerUid, chain, height, hash, settledAt],
  );
}

/** Returns the ledgers on which actions were settled after this time, each with its chain. */
export async function readSettledSince(
  read: Queries,
  since: number,
): Promise<{ ledger_uid: string; chain: string }[]> {
  return read.all('SELECT ledger_uid, chain FROM chain_mark WHERE settled_at > $1', [since]);
}

/** Returns the number of times that the history of a chain was lost beyond repair. */
export async function readResets(read: Queries, base: string): Promise<number> {
  const [row] = await read.all<{ resets: number }>('SELECT resets FROM chain_reset WHERE chain = $1', [base]);
  return row?.resets ?? 0;
}

/** Returns the number of resets of each chain that was ever reset. */
export async function readAllResets(read: Queries): Promise<{ chain: string; resets: number }[]> {
  return read.all('SELECT chain, resets FROM chain_reset');
}

/**
 * Increments the number of resets, unless another tracker on the chain, which detected the same reset, already
 * incremented it.
 */
export async function storeReset(tx: Tx, base: string, resets: number): Promise<void> {
  await tx.run(
    `INSERT INTO chain_reset (chain, resets) VALUES ($1, 1)
      ON CONFLICT (chain) DO UPDATE SET resets = chain_reset.resets + 1 WHERE chain_reset.resets = $2`,
    [base, resets],
  );
}

/**
 * SQL condition: the action is pending, belongs to the ledger and one of these plugins, and is on another chain than
 * the given one.
 */
const elsewhere = (dialect: Queries['dialect']) =>
  `ledger_uid = $1 AND chain <> $2 AND status = 'PENDING'
    AND (plugin IS NULL OR plugin IN ${textList(dialect, '$3')})`;

/** Returns the ids of a ledger's pending actions that these plugins signed for another chain than the given one. */
export async function readSignedElsewhere(
  read: Queries,
  ledgerUid: string,
  chain: string,
  plugins: readonly string[],
): Promise<string[]> {
  const rows = await read.all<{ id: string }>(
    `SELECT id FROM action WHERE ${elsewhere(read.dialect)} AND stage = 'signed'`,
    [ledgerUid, chain, JSON.stringify(plugins)],
  );
  return rows.map(({ id }) => id);
}

/** Moves the ledger's unsigned actions of these plugins to the given chain. */
export async function moveUnsigned(
  tx: Tx,
  ledgerUid: string,
  chain: string,
  plugins: readonly string[],
): Promise<void> {
  await tx.run(
    `UPDATE action SET chain = $2, min_height = 0 WHERE ${elsewhere(tx.dialect)} AND stage <> 'signed'`,
    [ledgerUid, chain, JSON.stringify(plugins)],
  );
}
