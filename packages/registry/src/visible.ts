import { type Principal, type ResourceType, readPermission, systemUid } from '@ledger-ops/auth';
import type { Queries } from '@ledger-ops/store';
import { and, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Types whose resources are visible to everybody if the deployer created them directly below `system`. */
const shared: readonly ResourceType[] = ['ledger', 'plugin', 'explorer'];

/**
 * Condition: the column holds the uid of a resource of that type that the caller may read. It must agree with
 * `auth.decide` for `<type>:read`, so that pages and totals of listings are correct.
 */
export function visible(queries: Queries, principal: Principal, uid: SQLWrapper, type: ResourceType): SQL {
  const permission = JSON.stringify(readPermission(type));
  const contains = sql.raw(queries.dialect === 'postgres' ? 'strpos' : 'instr');
  const readable = (holder: string) =>
    sql`${uid} in (select c.resource_uid from role_assignment a join role r on r.uid = a.role_uid join resource_ancestor c on c.ancestor_uid = a.resource_uid where a.holder = ${holder} and ${contains}(r.permissions, ${permission}) > 0)`;
  const byRoles = sql`(${readable(`identity:${principal.serviceId}`)} and ${readable(`app:${principal.appUid}`)})`;
  if (!shared.includes(type)) return byRoles;
  const ofDeployer = sql`${uid} in (select uid from resource where parent_uid = ${systemUid} and type = ${type})`;
  return or(byRoles, ofDeployer) ?? byRoles;
}

/** Like drizzle's `and`, but never returns undefined. */
export function all(...conditions: [SQL, ...(SQL | undefined)[]]): SQL {
  return and(...conditions) ?? conditions[0];
}
