import type { Queries, Tx } from '@ledger-ops/store';
import { addUsage, changeUsage, organizationOf } from './usage.ts';

/** Limits on records that belong to a resource of the organization and are not resources themselves. */
export type RecordLimitName = 'roles' | 'credentials' | 'details';

/** Tables that a limit counts, each with the column that names the resource. */
const tables: Readonly<Record<RecordLimitName, Readonly<Record<string, string>>>> = {
  roles: { role_assignment: 'resource_uid' },
  credentials: { api_token: 'service_id', service_account_key: 'service_id' },
  details: {
    resource_property: 'resource_uid',
    lookup_term: 'resource_uid',
    app_identity_property: 'app_uid',
  },
};

export function isRecordLimit(name: string): name is RecordLimitName {
  return Object.hasOwn(tables, name);
}

/**
 * Counts records of a resource that a transaction added; outside organizations there is no limit.
 *
 * @throws Problem `storage-limit`
 */
export async function addRecords(
  tx: Tx,
  resourceUid: string,
  name: RecordLimitName,
  number = 1,
): Promise<void> {
  const organization = await organizationOf(tx, resourceUid);
  if (organization === undefined) return;
  await addUsage(tx, { scope: organization, organization }, name, number, () =>
    countRecordsOf(tx, organization, name),
  );
}

/** Subtracts removed records. Call it while the resource still has its place in the tree. */
export async function removeRecords(
  tx: Tx,
  resourceUid: string,
  name: RecordLimitName,
  number: number,
): Promise<void> {
  const organization = number === 0 ? undefined : await organizationOf(tx, resourceUid);
  if (organization !== undefined) await changeUsage(tx, organization, name, -number);
}

/** Returns the number of an organization's records that a limit counts. */
export async function countRecordsOf(
  queries: Queries,
  organization: string,
  name: RecordLimitName,
): Promise<number> {
  let sum = 0;
  for (const [table, column] of Object.entries(tables[name])) {
    const [row] = await queries.all<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${table} JOIN resource_ancestor AS place ON place.resource_uid = ${table}.${column}
        WHERE place.ancestor_uid = $1`,
      [organization],
    );
    sum += Number(row?.n ?? 0);
  }
  return sum;
}
