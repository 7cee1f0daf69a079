import { Problem } from '@ledger-ops/base';
import type { Queries, Tx } from '@ledger-ops/store';
import { systemUid } from '../access/system-uid.ts';
import type { ResourceType } from '../types.ts';
import { type LimitDescription, limitOfType, type StorageLimitName, storageLimits } from './limits.ts';

/** A scope whose usage is counted, and the organization whose limit applies. Both are uids. */
export interface StorageScope {
  readonly scope: string;
  readonly organization: string;
}

/**
 * Counts what a transaction adds, and rejects it if the organization would exceed its limit.
 *
 * @param recount counts everything stored, including what the transaction added; called only if there is no count yet
 * @throws Problem `storage-limit`
 */
export async function addUsage(
  tx: Tx,
  { scope, organization }: StorageScope,
  name: StorageLimitName,
  amount: number,
  recount: () => Promise<number>,
): Promise<void> {
  const used =
    (await changeUsage(tx, scope, name, amount)) ?? (await startUsage(tx, scope, name, amount, recount));
  const most = await readLimit(tx, organization, name);
  if (used > most) throw await limitExceeded(tx, organization, name, { used: used - amount, most });
}

/**
 * Checks the stored count without changing it.
 *
 * @throws Problem `storage-limit` if this amount would exceed the limit of the organization
 */
export async function demandRoom(
  queries: Queries,
  { scope, organization }: StorageScope,
  name: StorageLimitName,
  amount = 1,
): Promise<void> {
  const { used, most } = await readUsage(queries, { scope, organization }, name);
  if (used + amount > most) throw await limitExceeded(queries, organization, name, { used, most });
}

/** Returns the stored count of a scope, and the limit that applies to it. */
export async function readUsage(
  queries: Queries,
  { scope, organization }: StorageScope,
  name: StorageLimitName,
): Promise<{ used: number; most: number }> {
  const [row] = await queries.all<{ amount: number }>(
    'SELECT amount FROM storage_usage WHERE scope = $1 AND name = $2',
    [scope, name],
  );
  return { used: Number(row?.amount ?? 0), most: await readLimit(queries, organization, name) };
}

/** Adds an amount that is already stored to the count, without checking the limit. */
export async function recordUsage(
  tx: Tx,
  scope: string,
  name: StorageLimitName,
  amount: number,
): Promise<void> {
  await startUsage(tx, scope, name, amount, async () => amount);
}

/**
 * Checks that an organization may add this amount, and locks its count until the end of the transaction.
 *
 * @throws Problem `storage-limit`
 */
export async function demandUsage(
  tx: Tx,
  organization: string,
  name: StorageLimitName,
  amount: number,
  recount = () => countResources(tx, organization, name),
): Promise<void> {
  const used =
    (await changeUsage(tx, organization, name, 0)) ?? (await startUsage(tx, organization, name, 0, recount));
  const most = await readLimit(tx, organization, name);
  if (used + amount > most) throw await limitExceeded(tx, organization, name, { used, most });
}

/** Changes the count by what a transaction added or removed. Returns undefined if there is no count yet. */
export async function changeUsage(
  tx: Tx,
  scope: string,
  name: StorageLimitName,
  by: number,
): Promise<number | undefined> {
  const [row] = await tx.all<{ amount: number }>(
    `UPDATE storage_usage SET amount = CASE WHEN amount + $3 < 0 THEN 0 ELSE amount + $3 END
      WHERE scope = $1 AND name = $2 RETURNING amount`,
    [scope, name, by],
  );
  return row === undefined ? undefined : Number(row.amount);
}

/** Deletes the count. It is computed again when next needed. */
export async function forgetUsage(tx: Tx, scope: string, name: StorageLimitName): Promise<void> {
  await tx.run('DELETE FROM storage_usage WHERE scope = $1 AND name = $2', [scope, name]);
}

/** Stores the first count. Concurrent transactions that do this do not see each other's records. */
async function startUsage(
  tx: Tx,
  scope: string,
  name: StorageLimitName,
  amount: number,
  recount: () => Promise<number>,
): Promise<number> {
  const [row] = await tx.all<{ amount: number }>(
    `INSERT INTO storage_usage (scope, name, amount) VALUES ($1, $2, $3)
      ON CONFLICT (scope, name) DO UPDATE SET amount = storage_usage.amount + $4 RETURNING amount`,
    [scope, name, await recount(), amount],
  );
  return Number(row?.amount ?? 0);
}

/**
 * Returns the limit of the organization if it has one, otherwise that of the installation, otherwise the
 * default.
 */
async function readLimit(queries: Queries, organization: string, name: StorageLimitName): Promise<number> {
  const rows = await queries.all<{ scope: string; most: number }>(
    'SELECT scope, most FROM storage_limit WHERE scope IN ($1, $2) AND name = $3',
    [organization, systemUid, name],
  );
  const own = rows.find(({ scope }) => scope === organization) ?? rows[0];
  return own === undefined ? storageLimits[name].most : Number(own.most);
}

/** Counts an added resource; outside organizations there is no limit. @throws Problem `storage-limit` */
export async function countResource(tx: Tx, uid: string, type: ResourceType): Promise<void> {
  const name = limitOfType.get(type);
  const organization = name === undefined ? undefined : await organizationOf(tx, uid);
  if (name === undefined || organization === undefined) return;
  await addUsage(tx, { scope: organization, organization }, name, 1, () =>
    countResources(tx, organization, name),
  );
}

/** Subtracts a resource that is about to be removed. */
export async function uncountResource(tx: Tx, uid: string): Promise<void> {
  const [row] = await tx.all<{ type: ResourceType }>('SELECT type FROM resource WHERE uid = $1', [uid]);
  const name = row === undefined ? undefined : limitOfType.get(row.type);
  const organization = name === undefined ? undefined : await organizationOf(tx, uid);
  if (name !== undefined && organization !== undefined) await changeUsage(tx, organization, name, -1);
}

/**
 * Counts the rows of a table after a transaction inserted one for a project. The rows are counted again each time:
 * there are few of them, and deleting a project deletes its rows without updating the count.
 *
 * @throws Problem `storage-limit`
 */
export async function demandRecord(
  tx: Tx,
  projectUid: string,
  name: 'webhooks' | 'contract-subscriptions',
): Promise<void> {
  const organization = await organizationOf(tx, projectUid);
  if (organization === undefined) return;
  // Locks the count, so that concurrent transactions count each other's rows.
  await changeUsage(tx, organization, name, 0);
  const used = await countRecords(tx, organization, storageLimits[name].table);
  await tx.run(
    `INSERT INTO storage_usage (scope, name, amount) VALUES ($1, $2, $3)
      ON CONFLICT (scope, name) DO UPDATE SET amount = excluded.amount`,
    [organization, name, used],
  );
  const most = await readLimit(tx, organization, name);
  if (used > most) throw await limitExceeded(tx, organization, name, { used: used - 1, most });
}

/** Returns the number of rows of an organization's projects. */
export async function countRecords(queries: Queries, organization: string, table: string): Promise<number> {
  const [row] = await queries.all<{ n: number }>(
    `SELECT COUNT(*) AS n FROM ${table} JOIN project ON project.uid = ${table}.project_id
      WHERE project.organization_uid = $1`,
    [organization],
  );
  return Number(row?.n ?? 0);
}

/** Returns the number of an organization's resources that a limit counts. */
export async function countResources(
  queries: Queries,
  organization: string,
  name: StorageLimitName,
): Promise<number> {
  let sum = 0;
  for (const [type, of] of limitOfType) {
    if (of !== name) continue;
    const [row] = await queries.all<{ n: number }>(
      'SELECT COUNT(*) AS n FROM resource_ancestor WHERE ancestor_uid = $1 AND type = $2',
      [organization, type],
    );
    sum += Number(row?.n ?? 0);
  }
  return sum;
}

/** Returns the organization of a resource; undefined if the resource belongs to the installation. */
export async function organizationOf(queries: Queries, uid: string): Promise<string | undefined> {
  const [row] = await queries.all<{ uid: string }>(
    `SELECT above.uid FROM resource_ancestor JOIN resource AS above ON above.uid = resource_ancestor.ancestor_uid
      WHERE resource_ancestor.resource_uid = $1 AND above.type = 'organization'`,
    [uid],
  );
  return row?.uid;
}

/** Returns the problem for an exceeded limit; names the limit, the usage, and the remedy. */
export async function limitExceeded(
  queries: Queries,
  organization: string,
  limit: StorageLimitName,
  { used, most }: { used: number; most: number },
): Promise<Problem> {
  const [row] = await queries.all<{ name: string }>(
    'SELECT organization_id AS name FROM organization WHERE uid = $1',
    [organization],
  );
  const number = (value: number) => value.toLocaleString('en-US');
  const { about, remedy = 'Delete what you no longer need' }: LimitDescription = storageLimits[limit];
  const detail = `The organization ${row?.name ?? organization} may store ${number(most)} ${about} (limit "${limit}") and already stores ${number(used)}. ${remedy}, or ask an administrator of the installation to raise the limit.`;
  return new Problem('storage-limit', detail, { extensions: { limit, used, most } });
}
