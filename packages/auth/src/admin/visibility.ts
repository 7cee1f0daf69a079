import type { Queries } from '@ledger-ops/store';
import { and, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { archived } from '../access/archived.ts';
import { sharedBySystem } from '../access/decide.ts';
import { readPermission } from '../access/permissions.ts';
import { systemUid } from '../access/resources.ts';
import { holderKey } from '../access/role-assignments.ts';
import type { Permission, Principal, ResourceType } from '../types.ts';

/**
 * The rows that a caller may see, as conditions in SQL, so that totals and pages are right. They say what `decide` says
 * of `<type>:read`: a role of the identity and a role of the app on the resource or above it, or that the
 * deployer shares it (a test holds both against each other).
 */
export interface Visibility {
  /** Condition: the column holds the uid of a resource (of one type, else of any) that the caller may read. */
  resources(uid: SQLWrapper, type?: ResourceType): SQL;
  /** Condition: the column holds the serviceId of an identity that the caller may see. */
  identities(serviceId: SQLWrapper): SQL;
}

/**
 * How a condition is evaluated. `set`: what the caller may see is found from its roles downwards, whatever else
 * there is; for listings. `row`: it is looked for from the row upwards; for one row, or a few.
 */
export type Evaluation = 'set' | 'row';

/** The visibility of one caller. */
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
      // Whoever holds a role on something that the caller sees by its roles; what is shared shows nobody.
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

/** Condition: the column holds the uid of a resource that a holder's roles on it or above it let it read. */
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

/** Condition: the column holds the uid of a resource on which the caller has the permission, which is not one to read. */
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
  /** Text that the JSON of a role's permissions must contain. */
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

/** Condition: the column holds the uid of a resource at or below one of those that the subquery answers. */
export function below(uid: SQLWrapper, ancestors: SQL, type: ResourceType): SQL {
  return sql`${uid} in (select c.resource_uid from resource_ancestor c where c.type = ${type} and c.ancestor_uid in ${ancestors})`;
}

/** Uids of a type's resources with this id, or of the one with this uid. */
export function named(type: ResourceType, id: string): SQL {
  return sql`(select n.uid from resource n where n.type = ${type} and (n.resource_id = ${id} or n.uid = ${id}))`;
}

/** Condition: the resource of that uid is archived, or it is not. Lists leave out what is archived unless they are asked for it alone. */
export function whether(isArchived: boolean | undefined, uid: SQLWrapper): SQL {
  return isArchived === true ? archived(uid) : sql`not ${archived(uid)}`;
}

/** `and` that is never without a condition. */
export function all(...conditions: [SQL, ...(SQL | undefined)[]]): SQL {
  return and(...conditions) ?? conditions[0];
}

/** `or` that is never without a condition. */
export function any(...conditions: [SQL, ...SQL[]]): SQL {
  return or(...conditions) ?? conditions[0];
}
