import type { Queries, SqlValue, Tx } from '@ledger-ops/store';
import { BatchRefused } from '../model.ts';
import { textList } from '../sql.ts';

/** Of the store's notifications: something was suspended or resumed. */
export const suspensionsTopic = 'suspensions';

/** Each of them may be suspended. */
export type SuspendedKind = 'ledger' | 'wallet' | 'project';

/** Why nothing is signed for a ledger, a wallet or a project. */
export interface SuspensionRow extends Record<string, SqlValue> {
  /** Uid of what is suspended. */
  subject: string;
  id: string;
  kind: SuspendedKind;
  /** Its id, as people see it. */
  name: string;
  /** Uid of its project, or of the system. */
  scope: string;
  reason: string;
  created_by: string;
  created_at: number;
}

/** Uids of an action's ledger, wallet and project. */
export interface SuspendedBy {
  readonly ledgerUid: string;
  readonly walletUid: string;
  readonly projectId: string;
}

/** Its columns. */
export const suspensionColumns = [
  'subject',
  'id',
  'kind',
  'name',
  'scope',
  'reason',
  'created_by',
  'created_at',
] as const;

/** Whether a row, named `action` unless another name is given, has something that is suspended, or is signed by it. */
export function suspendedSql(row = 'action'): string {
  return `EXISTS (SELECT 1 FROM suspension WHERE suspension.subject IN (${row}.ledger_uid, ${row}.project_id, ${row}.wallet_uid)
    OR EXISTS (SELECT 1 FROM action_grant AS held WHERE held.action_id = ${row}.id
      AND held.others LIKE '%"walletUid":"' || suspension.subject || '"%'))`;
}

/** Of actions that are not signed: uids of the suspended wallets that sign beside the sender's. */
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

/** Why actions are not signed, for people, by their ids: of all that is suspended of theirs. */
export async function readSuspensionWords(
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
      return suspension === undefined ? [] : [suspensionWords(suspension)];
    });
}

/** Those of these that are suspended, by their uids. */
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

/** Uids of all that is suspended. */
export async function readSuspended(queries: Pick<Queries, 'all'>): Promise<Set<string>> {
  const rows = await queries.all<{ subject: string }>('SELECT subject FROM suspension');
  return new Set(rows.map(({ subject }) => subject));
}

/** Within a transaction that has checked its lanes. @throws BatchRefused with those that are not to be signed */
export async function refuseSuspended(
  tx: Tx,
  actions: readonly (SuspendedBy & { readonly id: string })[],
): Promise<void> {
  const found = await readSuspensions(tx, actions.flatMap(subjectsOf));
  const suspended = actions.filter((action) => subjectsOf(action).some((uid) => found.has(uid)));
  if (suspended.length > 0) throw new BatchRefused(new Map(suspended.map(({ id }) => [id, null])));
}

/** The widest first. */
export function subjectsOf({ ledgerUid, projectId, walletUid }: SuspendedBy): string[] {
  return [ledgerUid, projectId, walletUid];
}

/**
 * False: it is suspended already. Once it is stored nothing more is signed: whoever signs reads it behind its lanes,
 * which are locked here.
 */
export async function insertSuspension(tx: Tx, row: SuspensionRow): Promise<boolean> {
  if (tx.dialect === 'postgres') await tx.all('SELECT shard FROM lane ORDER BY chain, shard FOR UPDATE');
  const values = suspensionColumns.map((name) => row[name]);
  const added = await tx.run(
    `INSERT INTO suspension (${suspensionColumns.join(', ')}) VALUES (${suspensionColumns.map((_, at) => `$${at + 1}`).join(', ')})
      ON CONFLICT (subject) DO NOTHING`,
    values,
  );
  return added > 0;
}

/** False: it is there no more. */
export async function deleteSuspension(tx: Tx, id: string): Promise<boolean> {
  return (await tx.run('DELETE FROM suspension WHERE id = $1', [id])) > 0;
}

/** For people who may see the action. Who administers a ledger is not told to everybody who uses it. */
function suspensionWords({ kind, name, reason, created_by, created_at }: SuspensionRow): string {
  const by = kind === 'ledger' ? 'those who administer it' : created_by;
  const since = new Date(created_at).toISOString();
  const end = /[.!?]$/.test(reason) ? '' : '.';
  return `The ${kind} ${name} is suspended by ${by} since ${since}: ${reason}${end}`;
}
