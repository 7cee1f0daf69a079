import type { Cursor } from '@ledger-ops/adapter';
import type { Queries, Tx } from '@ledger-ops/store';
import { textList } from '../sql.ts';

/** The last confirmed block of a ledger, and the chain that it was on; null: none yet. */
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

/** @param settledAt when something of the ledger was settled; null: nothing was */
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

/** Ledgers of which something was settled after this time, with their chains. */
export async function readSettledSince(
  read: Queries,
  since: number,
): Promise<{ ledger_uid: string; chain: string }[]> {
  return read.all('SELECT ledger_uid, chain FROM chain_mark WHERE settled_at > $1', [since]);
}

/** How often the history of a chain was lost beyond repair. */
export async function readResets(read: Queries, base: string): Promise<number> {
  const [row] = await read.all<{ resets: number }>('SELECT resets FROM chain_reset WHERE chain = $1', [base]);
  return row?.resets ?? 0;
}

/** Of all chains whose history was lost beyond repair. */
export async function readAllResets(read: Queries): Promise<{ chain: string; resets: number }[]> {
  return read.all('SELECT chain, resets FROM chain_reset');
}

/** Counts one more, if it is not counted yet: each line on the chain finds it out. */
export async function storeReset(tx: Tx, base: string, resets: number): Promise<void> {
  await tx.run(
    `INSERT INTO chain_reset (chain, resets) VALUES ($1, 1)
      ON CONFLICT (chain) DO UPDATE SET resets = chain_reset.resets + 1 WHERE chain_reset.resets = $2`,
    [base, resets],
  );
}

/** Condition: an unfinished action of a ledger, with one of these plugins, is on another chain than this. */
const elsewhere = (dialect: Queries['dialect']) =>
  `ledger_uid = $1 AND chain <> $2 AND status = 'PENDING'
    AND (plugin IS NULL OR plugin IN ${textList(dialect, '$3')})`;

/** Those of a ledger's actions, with one of these plugins, that are signed for another chain than this. */
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

/** Those that are not signed move over to this chain. */
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
