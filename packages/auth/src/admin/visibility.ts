import type { Queries } from '@ledger-ops/store';
import { and, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { archived } from '../access/archived.ts';
import { sharedBySystem } from '../access/decide.ts';
import { readPermission } from '../access/permissions.ts';
import { holderKey } from '../access/role-assignments.ts';
import { systemUid } from '../access/system-uid.ts';
import type { Permission, Principal, ResourceType } from '../types.ts';

/**
 * SQL conditions for the rows that a caller may see, so that totals and pages are correct. They agree with
 * `decide` for `<type>:read`: the identity and the app each hold a role on the resource or on an ancestor, or
 * the deployer shares the resource. A test compares both.
 */
export interface Visibility {
  /**
   * SQL condition: the column contains the uid of a resource (of one type, or of any) that the caller may
   * read.
   */
  resources(uid: SQLWrapper, type?: ResourceType): SQL;
  /** SQL condition: the column contains the serviceId of an identity that the caller may see. */
  identities(serviceId: SQLWrapper): SQL;
}

/**
 * The direction in which a condition is evaluated. `set`: searches from the caller's roles downwards, independent of the number
 * of other resources; for listings. `row`: searches from the row upwards; for one or a few rows.
 */
export type Evaluation = 'set' | 'row';

export function visibilityOf(queries: Queries, principal: Principal, by: Evaluation): Visibility {
  const identity = holderKey({ identity: principal.serviceId });
  const app = holderKey({ app: principal.appUid });
  const byRoles = (uid: SQLWrapper, type?: ResourceType) =>
    all(readableBy(queries, uid, identity, type, by), readableBy(queries, uid, app, type, by));

  return {
    resources(uid, type) {
      if (type !== undefined && !sharedBySystem.has(type)) return byRoles(uid, type);
      const types = type === undefined ? [...sharedBySystem] : [type];
      const shared = sql`${uid} in (select s.uid from resource s where s.parent_uid = ${systemUid} and s.type in ${types})`;
      return any(byRoles(uid, type), shared);
    },
    identities(serviceId) {
      // Identities with a role on a resource that the caller sees because of its own roles. Resources that
      // the deployer shares do not make any identity visible.
      const known = byRoles(sql`h.resource_uid`);
      return any(
        sql`${serviceId} = ${principal.serviceId}`,
        byRoles(serviceId, 'service-account'),
        by === 'set'
          ? sql`${serviceId} in (select substr(h.holder, 10) from role_assignment h where h.holder like 'identity:%' and ${known})`
          : sql`exists (select 1 from role_assignment h where h.holder = 'identity:' || ${serviceId} and ${known})`,
        permitted(queries, principal, sql.raw(`'${systemUid}'`), 'system:manage'),
      );
    },
  };
}

/**
 * SQL condition: the column contains the uid of a resource that the holder may read because of a role on the
 * resource or on an ancestor.
 */
export function readableBy(
  queries: Queries,
  uid: SQLWrapper,
  holder: string,
  type: ResourceType | undefined,
  by: Evaluation,
): SQL {
  // `wallet:*` governs `cloud-wallet` too.
  const needed =
    type === undefined
      ? sql`'"' || case when c.type = 'cloud-wallet' then 'wallet' else c.type end || ':read"'`
      : sql`${JSON.stringify(readPermission(type))}`;
  return held(queries, uid, { holder, needed, type, by });
}

/**
 * SQL condition: the column contains the uid of a resource on which the caller has the permission. Not for
 * read permissions.
 */
export function permitted(
  queries: Queries,
  { serviceId, appUid }: Principal,
  uid: SQLWrapper,
  permission: Permission,
): SQL {
  const needed = sql`${JSON.stringify(permission)}`;
  const heldBy = (holder: string) => held(queries, uid, { holder, needed, type: undefined, by: 'row' });
  return all(
    heldBy(holderKey({ identity: serviceId })),
    heldBy(holderKey({ app: appUid })),
    sql`not ${archived(uid)}`,
  );
}

interface Held {
  readonly holder: string;
  /** A string that the JSON of a role's permissions must contain. */
  readonly needed: SQL;
  readonly type: ResourceType | undefined;
  readonly by: Evaluation;
}

function held(queries: Queries, uid: SQLWrapper, { holder, needed, type, by }: Held): SQL {
  const contains = sql.raw(queries.dialect === 'postgres' ? 'strpos' : 'instr');
  const ofType = type === undefined ? sql`` : sql` and c.type = ${type}`;
  const found = sql`from role_assignment a join role r on r.uid = a.role_uid join resource_ancestor c on c.ancestor_uid = a.resource_uid where a.holder = ${holder} and ${contains}(r.permissions, ${needed}) > 0${ofType}`;
  return by === 'set'
    ? sql`${uid} in (select c.resource_uid ${found})`
    : sql`exists (select 1 ${found} and c.resource_uid = ${uid})`;
}

/** SQL condition: the column contains the uid of a resource at or below one that the subquery returns. */
export function below(uid: SQLWrapper, ancestors: SQL, type: ResourceType): SQL {
  return sql`${uid} in (select c.resource_uid from resource_ancestor c where c.type = ${type} and c.ancestor_uid in ${ancestors})`;
}

/** Finds resources of a type by id or uid, and returns their uids. */
export function named(type: ResourceType, id: string): SQL {
  return sql`(select n.uid from resource n where n.type = ${type} and (n.resource_id = ${id} or n.uid = ${id}))`;
}

/** SQL condition for lists. If `isArchived` is true, only archived resources; otherwise only those that are not archived. */
export function whether(isArchived: boolean | undefined, uid: SQLWrapper): SQL {
  return isArchived === true ? archived(uid) : sql`not ${archived(uid)}`;
}

/** Like `and`, but always returns a condition. */
export function all(...conditions: [SQL, ...(SQL | undefined)[]]): SQL {
  return and(...conditions) ?? conditions[0];
}

/** Like `or`, but always returns a condition. */
export function any(...conditions: [SQL, ...SQL[]]): SQL {
  return or(...conditions) ?? conditions[0];
}
