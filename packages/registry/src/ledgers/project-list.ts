import type { Principal, ResourceType } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { eq, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { findScope, usableIn } from '../scope.ts';
import { all, visible } from '../visible.ts';
import type { ProjectQuery } from './types.ts';

/** The columns that say which rows of a table a project sees. */
export interface ProjectColumns {
  uid: PgColumn;
  scope: PgColumn;
  /** What `resourceId` names. */
  id: PgColumn;
}

/**
 * Condition of a listing by project: rows of the project and of the deployer that the caller may read. Null where
 * the project is none that the caller could name: nothing is found.
 */
export async function listedFor(
  queries: Queries,
  principal: Principal,
  type: ResourceType,
  { uid, scope, id }: ProjectColumns,
  { project, resourceId }: Pick<ProjectQuery, 'project' | 'resourceId'>,
  ...more: (SQL | undefined)[]
): Promise<SQL | null> {
  const found = await findScope(queries, principal, project, 'project').catch((error: unknown) => {
    if (error instanceof Problem && error.problem === 'not-found') return null;
    throw error;
  });
  if (found === null) return null;
  return all(
    visible(queries, principal, uid, type),
    usableIn(scope, found),
    resourceId === undefined || resourceId === '' ? undefined : eq(id, resourceId),
    ...more,
  );
}
