import type { Queries, SqlValue, Tx } from '@ledger-ops/store';
import { BatchRefused } from '../model.ts';
import { textList } from '../sql.ts';

/** Topic of store notifications about suspended and resumed resources. */
export const suspensionsTopic = 'suspensions';

export type SuspendedKind = 'ledger' | 'wallet' | 'project';

/** A suspension of a ledger, wallet or project. Nothing is signed for the suspended resource. */
export interface SuspensionRow extends Record<string, SqlValue> {
  /** Uid of the suspended resource. */
  subject: string;
  id: string;
  kind: SuspendedKind;
  /** Id of the resource, which users see. */
  name: string;
  /** Uid of the resource's project, or of the system. */
  scope: string;
  reason: string;
  created_by: string;
  created_at: number;
  /** Cause of an automatic suspension; null if a user or the promotion of a standby suspended the resource. */
  cause: 'unknown-transactions' | null;
}

export interface SuspendedBy {
  readonly ledgerUid: string;
  readonly walletUid: string;
  readonly projectId: string;
}

export const suspensionColumns = [
  'subject',
  'id',
  'kind',
  'name',
  'scope',
  'reason',
  'created_by',
  'created_at',
  'cause',
] as const;

/**
 * SQL condition: the ledger, project, wallet or a co-signing wallet of the row is suspended. @param row table or alias
 */
export function suspendedSql(row = 'action'): string {
  return `EXISTS (SELECT 1 FROM suspension WHERE suspension.subject IN (${row}.ledger_uid, ${row}.project_id, ${row}.wallet_uid)
    OR EXISTS (SELECT 1 FROM action_grant AS held WHERE held.action_id = ${row}.id
      AND held.others LIKE '%"walletUid":"' || suspension.subject || '"%'))`;
}

/** Returns the uids of the suspended co-signing wallets of unsigned actions. */
async function readSuspendedOthers(
  queries: Pick<Queries, 'all' | 'dialect'>,
  actionIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await queries.all<{ action_id: string; subject: string }>(
    `SELECT held.action_id, suspension.subject FROM suspension JOIN action_grant AS held
      ON held.others LIKE '%"walletUid":"' || suspension.subject || '"%'
      WHERE held.action_id IN ${textList(queries.dialect, '$1')}`,
    [JSON.stringify(actionIds)],
  );
  const byAction = Map.groupBy(rows, ({ action_id }) => action_id);
  return new Map([...byAction].map(([id, all]) => [id, all.map(({ subject }) => subject)]));
}

/** Returns the reasons, for users, why actions are not signed, by action id: all suspensions that apply to them. */
export async function readSuspensionReasons(
  queries: Pick<Queries, 'all' | 'dialect'>,
  actions: readonly (SuspendedBy & { readonly id: string })[],
): Promise<(id: string) => string[]> {
  if (actions.length === 0) return () => [];
  const others = await readSuspendedOthers(
    queries,
    actions.map(({ id }) => id),
  );
  const subjects = new Map(
    actions.map((action) => [action.id, [...subjectsOf(action), ...(others.get(action.id) ?? [])]]),
  );
  const found = await readSuspensions(queries, [...subjects.values()].flat());
  return (id) =>
    (subjects.get(id) ?? []).flatMap((uid) => {
      const suspension = found.get(uid);
      return suspension === undefined ? [] : [suspensionReason(suspension)];
    });
}

/** Returns the suspensions of these resources, by uid. */
async function readSuspensions(
  queries: Pick<Queries, 'all' | 'dialect'>,
  subjects: readonly string[],
): Promise<Map<string, SuspensionRow>> {
  if (subjects.length === 0) return new Map();
  const rows = await queries.all<SuspensionRow>(
    `SELECT ${suspensionColumns.join(', ')} FROM suspension WHERE subject IN ${textList(queries.dialect, '$1')}`,
    [JSON.stringify([...new Set(subjects)])],
  );
  return new Map(rows.map((row) => [row.subject, row]));
}

export async function readSuspended(queries: Pick<Queries, 'all'>): Promise<Set<string>> {
  const rows = await queries.all<{ subject: string }>('SELECT subject FROM suspension');
  return new Set(rows.map(({ subject }) => subject));
}

/**
 * Checks actions for suspensions. Must be called in a transaction that has checked the leases of the actions' shards.
 * @throws BatchRefused with the suspended actions
 */
export async function refuseSuspended(
  tx: Tx,
  actions: readonly (SuspendedBy & { readonly id: string })[],
): Promise<void> {
  const found = await readSuspensions(tx, actions.flatMap(subjectsOf));
  const suspended = actions.filter((action) => subjectsOf(action).some((uid) => found.has(uid)));
  if (suspended.length > 0) throw new BatchRefused(new Map(suspended.map(({ id }) => [id, null])));
}

/** Returns the uids of the resources whose suspension affects an action, in the order ledger, project, wallet. */
export function subjectsOf({ ledgerUid, projectId, walletUid }: SuspendedBy): string[] {
  return [ledgerUid, projectId, walletUid];
}

/**
 * Suspends a resource. Returns false if it is already suspended. After the commit, nothing more is signed for it: this
 * function locks all leases, and signing locks the leases of its shards before it reads suspensions.
 */
export async function insertSuspension(tx: Tx, row: SuspensionRow): Promise<boolean> {
  return (await insertSuspensions(tx, [row])) > 0;
}

/**
 * Suspends several resources like `insertSuspension`. Returns the number of rows that were added or changed. If a user
 * already suspended a resource, an automatic suspension (one with a `cause`) adds its cause and reason to the existing
 * row.
 */
export async function insertSuspensions(tx: Tx, rows: readonly SuspensionRow[]): Promise<number> {
  await lockLanes(tx);
  let added = 0;
  for (const row of rows) {
    added += await tx.run(
      `INSERT INTO suspension (${suspensionColumns.join(', ')}) VALUES (${suspensionColumns.map((_, at) => `$${at + 1}`).join(', ')})
        ON CONFLICT (subject) DO UPDATE SET cause = excluded.cause, reason = suspension.reason || ' ' || excluded.reason
        WHERE suspension.cause IS NULL AND excluded.cause IS NOT NULL`,
      suspensionColumns.map((name) => row[name]),
    );
  }
  return added;
}

/**
 * Locks all leases until the transaction ends, so that nothing is signed, suspended or resumed until then.
 */
export async function lockLanes(tx: Tx): Promise<void> {
  if (tx.dialect === 'postgres') await tx.all('SELECT shard FROM lane ORDER BY chain, shard FOR UPDATE');
}

/** Ends a suspension; returns false if it no longer exists. */
export async function deleteSuspension(tx: Tx, id: string): Promise<boolean> {
  return (await tx.run('DELETE FROM suspension WHERE id = $1', [id])) > 0;
}

/**
 * Returns the reason for users who may see the action. The reason for a ledger does not name the person who suspended
 * it, because the users of a ledger must not learn who its administrators are.
 */
function suspensionReason({ kind, name, reason, created_by, created_at }: SuspensionRow): string {
  const by = kind === 'ledger' ? 'its administrators' : created_by;
  const since = new Date(created_at).toISOString();
  const end = /[.!?]$/.test(reason) ? '' : '.';
  return `The ${kind} ${name} has been suspended by ${by} since ${since}: ${reason}${end}`;
}
