import type { Queries } from '@ledger-ops/store';
import { and, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { sharedBySystem } from '../decide.ts';
import { readPermission } from '../permissions.ts';
import { systemUid } from '../resources.ts';
import { holderKey } from '../role-assignments.ts';
import type { Permission, Principal, ResourceType } from '../types.ts';

/**
 * What a listing may show, as conditions in SQL, so that totals and pages are right. They say what `decide`
 * says of `<type>:read`: a role of the identity and a role of the app on the resource or above it, or that the
 * deployer shares it (a test holds both against each other).
 */
export interface Visibility {
  /** Condition: the column holds the uid of a resource (of one type, else of any) that the caller may read. */
  resources(uid: SQLWrapper, type?: ResourceType): SQL;
  /** Condition: the column holds the serviceId of an identity that the caller may see. */
  identities(serviceId: SQLWrapper): SQL;
}

/** Uids of resources that the roles of a holder on them or above them let it read. */
export function readableBy(queries: Queries, holder: string, type?: ResourceType): SQL {
  if (type !== undefined) return heldBy(queries, holder, readPermission(type));
  const contains = sql.raw(queries.dialect === 'postgres' ? 'strpos' : 'instr');
  // `wallet:*` governs `cloud-wallet` too.
  return sql`(select c.resource_uid from role_assignment a join role r on r.uid = a.role_uid join resource_ancestor c on c.ancestor_uid = a.resource_uid join resource x on x.uid = c.resource_uid where a.holder = ${holder} and ${contains}(r.permissions, '"' || case when x.type = 'cloud-wallet' then 'wallet' else x.type end || ':read"') > 0)`;
}

/** Uids of resources on which, or above which, a holder has a role with this permission. */
export function heldBy(queries: Queries, holder: string, permission: Permission): SQL {
  const contains = sql.raw(queries.dialect === 'postgres' ? 'strpos' : 'instr');
  return sql`(select c.resource_uid from role_assignment a join role r on r.uid = a.role_uid join resource_ancestor c on c.ancestor_uid = a.resource_uid where a.holder = ${holder} and ${contains}(r.permissions, ${JSON.stringify(permission)}) > 0)`;
}

/** Condition: the column holds the uid of a resource on which the caller has the permission. */
export function permitted(
  queries: Queries,
  { serviceId, appUid }: Principal,
  uid: SQLWrapper,
  permission: Permission,
): SQL {
  return all(
    sql`${uid} in ${heldBy(queries, holderKey({ identity: serviceId }), permission)}`,
    sql`${uid} in ${heldBy(queries, holderKey({ app: appUid }), permission)}`,
  );
}

/** The visibility of one caller. */
export function visibilityOf(queries: Queries, principal: Principal): Visibility {
  const identity = holderKey({ identity: principal.serviceId });
  const app = holderKey({ app: principal.appUid });
  const byRoles = (uid: SQLWrapper, type?: ResourceType) =>
    all(
      sql`${uid} in ${readableBy(queries, identity, type)}`,
      sql`${uid} in ${readableBy(queries, app, type)}`,
    );

  return {
    resources(uid, type) {
      if (type !== undefined && !sharedBySystem.has(type)) return byRoles(uid, type);
      const types = type === undefined ? [...sharedBySystem] : [type];
      const shared = sql`${uid} in (select uid from resource where parent_uid = ${systemUid} and type in ${types})`;
      return any(byRoles(uid, type), shared);
    },
    identities(serviceId) {
      return any(
        sql`${serviceId} = ${principal.serviceId}`,
        byRoles(serviceId, 'service-account'),
        // Whoever holds a role on something that the caller sees by its roles; what is shared shows nobody.
        sql`('identity:' || ${serviceId}) in (select a.holder from role_assignment a where ${byRoles(sql`a.resource_uid`)})`,
        permitted(queries, principal, sql`'${sql.raw(systemUid)}'`, 'system:manage'),
      );
    },
  };
}

/** Condition: the column holds the uid of a resource at or below one of those that the subquery answers. */
export function below(uid: SQLWrapper, ancestors: SQL): SQL {
  return sql`${uid} in (select c.resource_uid from resource_ancestor c where c.ancestor_uid in ${ancestors})`;
}

/** Uids of a type's resources with this id, or of the one with this uid. */
export function named(type: ResourceType, id: string): SQL {
  return sql`(select uid from resource where type = ${type} and (resource_id = ${id} or uid = ${id}))`;
}

/** `and` that is never without a condition. */
export function all(...conditions: [SQL, ...(SQL | undefined)[]]): SQL {
  return and(...conditions) ?? conditions[0];
}

/** `or` that is never without a condition. */
export function any(...conditions: [SQL, ...SQL[]]): SQL {
  return or(...conditions) ?? conditions[0];
}
