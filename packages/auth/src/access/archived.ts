import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/**
 * Condition: the resource of that uid is archived, or something above it is. An identity that is no resource (a person)
 * never is.
 *
 * @param uid a column, as SQL of ours
 */
export function isArchived(uid: string): string {
  return `exists (select 1 from resource_ancestor above join resource a_r on a_r.uid = above.ancestor_uid
    where above.resource_uid = ${uid} and a_r.archived_at is not null)`;
}

/** The same of a column that a query builder knows. */
export function archived(uid: SQLWrapper): SQL {
  return sql`exists (select 1 from resource_ancestor above join resource a_r on a_r.uid = above.ancestor_uid where above.resource_uid = ${uid} and a_r.archived_at is not null)`;
}

/**
 * Condition: the application may be used.
 *
 * @param a alias of the table `app`
 */
export function usableApp(a: string): string {
  return `(${a}.status = 'ENABLED' and not ${isArchived(`${a}.uid`)})`;
}
