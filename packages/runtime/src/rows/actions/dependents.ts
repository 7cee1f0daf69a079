import type { Queries } from '@ledger-ops/store';
import { textList } from '../sql.ts';

/**
 * Accounts, by {@link accountKey}, that were just compared with their ledgers or need no comparison. All other accounts
 * count as not compared, including those of actions that were accepted after the comparison.
 */
export type Compared = ReadonlySet<string>;

/** Identifies an account on a chain. */
export function accountKey(chain: string, address: string): string {
  return `${chain} ${address}`;
}

/** An account that has an action, with what is needed to open its ledger. */
export type DependentAccount = {
  readonly chain: string;
  readonly address: string;
  readonly ledgerUid: string;
  /** Null if any plugin that serves the ledger can be used. */
  readonly plugin: string | null;
  readonly projectUid: string;
};

/** Returns the accounts of the pending actions that depend on these actions, directly or through others. */
export async function readDependentAccounts(
  read: Queries,
  actionIds: readonly string[],
  limit: number,
): Promise<DependentAccount[]> {
  return await read.all<DependentAccount>(
    `WITH RECURSIVE later(id) AS (
        SELECT action_id FROM action_dependency WHERE dependency_id IN ${textList(read.dialect, '$1')}
        UNION SELECT link.action_id FROM action_dependency AS link JOIN later ON link.dependency_id = later.id
      )
      SELECT action.chain, action.address, MIN(action.ledger_uid) AS "ledgerUid", MIN(action.plugin) AS plugin,
        MIN(action.project_id) AS "projectUid"
      FROM later JOIN action ON action.id = later.id WHERE action.status = 'PENDING'
      GROUP BY action.chain, action.address ORDER BY action.chain, action.address LIMIT ${limit}`,
    [JSON.stringify(actionIds)],
  );
}

/** Returns the ids of those actions that failed. */
export async function readFailed(read: Queries, actionIds: readonly string[]): Promise<Set<string>> {
  if (actionIds.length === 0) return new Set();
  const rows = await read.all<{ id: string }>(
    `SELECT id FROM action WHERE id IN ${textList(read.dialect, '$1')} AND status = 'FAILED'`,
    [JSON.stringify(actionIds)],
  );
  return new Set(rows.map(({ id }) => id));
}
