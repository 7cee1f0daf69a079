import { type Permission, type Principal, systemId, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { and, eq, exists, inArray, or, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { ServiceContext } from './service.ts';
import { all, visible } from './visible.ts';

/** Returns the scope in which a record's id is unique: its project, or the system. */
export function scopeOf(projectUid: string | null): string {
  return projectUid ?? systemUid;
}

/** Returns the project of a scope; null for the deployer's scope. */
export function projectOf(scope: string): string | null {
  return scope === systemUid ? null : scope;
}

/** SQL condition: the record belongs to the project or to the deployer. */
export function usableIn(column: PgColumn, projectUid: string): SQL | undefined {
  return or(eq(column, projectUid), eq(column, systemUid));
}

/**
 * Finds the scope of a new record and demands the permission on it. A request names a project by its id (`projectId`),
 * or `system` for the deployer; default: the caller's project. A project in which the caller may see nothing is reported
 * as not found.
 *
 * @throws Problem `not-found`, `not-permitted`, `conflict` if the id matches several projects
 */
export async function demandScope(
  { auth, store }: Pick<ServiceContext, 'auth' | 'store'>,
  principal: Principal,
  permission: Permission,
  projectId: string | null | undefined,
): Promise<string> {
  const scope = await findScope(store.read, principal, projectId);
  await auth.demand(principal, permission, scope).catch((error: unknown) => {
    const unseen = error instanceof Problem && error.problem === 'not-found';
    throw unseen && typeof projectId === 'string' ? noProject(projectId) : error;
  });
  return scope;
}

async function findScope(
  queries: Queries,
  principal: Principal,
  projectId: string | null | undefined,
): Promise<string> {
  const known = fixedScope(principal, projectId);
  if (known !== undefined) return known;
  const { project } = queries.t;
  const rows = await queries.db
    .select({ uid: project.uid, organizationUid: project.organizationUid })
    .from(project)
    .where(named(queries, principal, projectId ?? ''));
  const [first, second] = rows;
  if (first === undefined) throw noProject(projectId ?? '');
  const found =
    rows.find(({ uid }) => uid === projectId) ??
    rows.find(({ organizationUid }) => organizationUid === principal.organizationUid);
  if (found === undefined && second !== undefined) {
    throw refusal('conflict', `${projectId} matches several projects; use the project's resourceUUID`);
  }
  return (found ?? first).uid;
}

function refusal(problem: 'not-found' | 'conflict', detail: string): Problem {
  return new Problem(problem, `/projectId: ${detail}.`, { errors: [{ pointer: '/projectId', detail }] });
}

function noProject(projectId: string): Problem {
  return refusal('not-found', `the project ${projectId} does not exist or is not visible to you`);
}

/** SQL condition: the record belongs to a project with this id. Several projects may have the id. */
export function inProject(
  queries: Queries,
  principal: Principal,
  column: PgColumn,
  projectId: string | undefined,
): SQL {
  const known = fixedScope(principal, projectId);
  if (known !== undefined) return eq(column, known);
  const { project } = queries.t;
  const uids = queries.db
    .select({ uid: project.uid })
    .from(project)
    .where(or(eq(project.projectId, projectId ?? ''), eq(project.uid, projectId ?? '')));
  return inArray(column, uids);
}

/**
 * Like `inProject`, but includes the deployer's records. If the id matches no project that the caller may
 * see, no record matches.
 */
export function inProjectOrShared(
  queries: Queries,
  principal: Principal,
  column: PgColumn,
  projectId: string | undefined,
): SQL {
  const inside = inProject(queries, principal, column, projectId);
  const shared = eq(column, systemUid);
  if (fixedScope(principal, projectId) !== undefined) return or(inside, shared) ?? inside;
  const { project } = queries.t;
  const seen = queries.db
    .select({ uid: project.uid })
    .from(project)
    .where(named(queries, principal, projectId ?? ''));
  return or(inside, and(shared, exists(seen))) ?? inside;
}

/** Returns the scope, if it can be determined without a query: the caller's own project, or the system. */
function fixedScope(principal: Principal, projectId: string | null | undefined): string | undefined {
  if (projectId === undefined || projectId === null || projectId === principal.projectId) {
    return principal.projectUid;
  }
  return projectId === systemId ? systemUid : undefined;
}

/**
 * SQL condition: the project has that id (unique within its organization) or uid, and the caller may read it.
 */
function named(queries: Queries, principal: Principal, id: string): SQL {
  const { project } = queries.t;
  return all(
    visible(queries, principal, project.uid, 'project'),
    or(eq(project.projectId, id), eq(project.uid, id)),
  );
}
