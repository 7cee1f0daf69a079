import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/**
 * SQL condition: the resource with that uid, or one of its ancestors, is archived. False for a person's
 * identity, which is not a resource.
 *
 * @param uid a column name, never user input
 */
export function isArchived(uid: string): string {
  return `exists (select 1 from resource_ancestor above join resource a_r on a_r.uid = above.ancestor_uid
    where above.resource_uid = ${uid} and a_r.archived_at is not null)`;
}

/** Like {@link isArchived}, for a column of the query builder. */
export function archived(uid: SQLWrapper): SQL {
  return sql`exists (select 1 from resource_ancestor above join resource a_r on a_r.uid = above.ancestor_uid where above.resource_uid = ${uid} and a_r.archived_at is not null)`;
}

/**
 * SQL condition: the application may be used.
 *
 * @param a alias of the table `app`
 */
export function usableApp(a: string): string {
  return `(${a}.status = 'ENABLED' and not ${isArchived(`${a}.uid`)})`;
}
