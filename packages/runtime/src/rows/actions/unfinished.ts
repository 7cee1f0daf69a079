import type { Queries, SqlValue } from '@ledger-ops/store';

/** Pending actions of one plugin on one ledger. */
export interface Unfinished extends Record<string, SqlValue> {
  chain: string;
  ledger_uid: string;
  plugin: string | null;
  project_id: string;
  ledger_id: string;
  /** 1 if some are signed. */
  signed: number;
}

/** Returns all pending actions, by chain, ledger and plugin. */
export async function readUnfinished(read: Queries): Promise<Unfinished[]> {
  return read.all<Unfinished>(
    `SELECT chain, ledger_uid, plugin, min(project_id) AS project_id, min(ledger_id) AS ledger_id,
      max(CASE WHEN stage = 'signed' THEN 1 ELSE 0 END) AS signed
      FROM action WHERE status = 'PENDING' GROUP BY chain, ledger_uid, plugin`,
  );
}

/**
 * Returns a ledger's most recently finished action with a transaction, in the form of a signed action; null
 * if none finished after `since`.
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
