import { type Principal, systemId, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { eq, or, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** Where a record stands, and within what its id is unique: its project, or the system. */
export function scopeOf(projectUid: string | null): string {
  return projectUid ?? systemUid;
}

/** The project of a scope; null: the deployer's. */
export function projectOf(scope: string): string | null {
  return scope === systemUid ? null : scope;
}

/** Condition: the record is of the project or of the deployer. */
export function usableIn(column: PgColumn, projectUid: string): SQL | undefined {
  return or(eq(column, projectUid), eq(column, systemUid));
}

/**
 * The scope that a request names by the id of a project, or by `system`; absent: the caller's project.
 *
 * @param pointer where the request names it
 * @throws Problem `not-found`
 */
export async function findScope(
  queries: Queries,
  principal: Principal,
  projectId: string | null | undefined,
  pointer: string,
): Promise<string> {
  if (projectId === undefined || projectId === null || projectId === principal.projectId) {
    return principal.projectUid;
  }
  if (projectId === systemId) return systemUid;
  const { project } = queries.t;
  const [row] = await queries.db
    .select({ uid: project.uid })
    .from(project)
    .where(eq(project.projectId, projectId));
  if (row !== undefined) return row.uid;
  const detail = `there is no project ${projectId} that you may see`;
  throw new Problem('not-found', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
}
