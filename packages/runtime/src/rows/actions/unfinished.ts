import type { Queries, SqlValue } from '@ledger-ops/store';

/** The pending actions of one plugin on one ledger, as one row. */
export interface Unfinished extends Record<string, SqlValue> {
  chain: string;
  ledger_uid: string;
  plugin: string | null;
  project_id: string;
  ledger_id: string;
  /** 1 if any of the actions is signed, otherwise 0. */
  signed: number;
}

/** Returns a row for each chain, ledger and plugin that has pending actions. */
export async function readUnfinished(read: Queries): Promise<Unfinished[]> {
  return read.all<Unfinished>(
    `SELECT chain, ledger_uid, plugin, min(project_id) AS project_id, min(ledger_id) AS ledger_id,
      max(CASE WHEN stage = 'signed' THEN 1 ELSE 0 END) AS signed
      FROM action WHERE status = 'PENDING' GROUP BY chain, ledger_uid, plugin`,
  );
}

/**
 * Returns a row for the ledger's action with a transaction that finished last, as if it were still signed; null if none
 * finished after `since`.
 */
export async function readEndedSince(
  read: Queries,
  ledgerUid: string,
  chain: string,
  since: number,
): Promise<Unfinished | null> {
  const [row] = await read.all<Unfinished>(
    `SELECT chain, ledger_uid, plugin, project_id, ledger_id, 1 AS signed FROM action
      WHERE updated_at > $1 AND chain = $2 AND ledger_uid = $3 AND status <> 'PENDING' AND locator IS NOT NULL
      ORDER BY updated_at DESC LIMIT 1`,
    [since, chain, ledgerUid],
  );
  return row ?? null;
}
