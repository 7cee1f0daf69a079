import type { Principal, ResourceType } from '@ledger-ops/auth';
import type { Queries } from '@ledger-ops/store';
import { eq, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { inProjectOrShared } from '../scope.ts';
import { all, visible } from '../visible.ts';
import type { ProjectQuery } from './types.ts';

/** The columns that say which rows of a table a project sees. */
export interface ProjectColumns {
  uid: PgColumn;
  scope: PgColumn;
  /** The record that `resourceId` names. */
  id: PgColumn;
}

/** Condition of a listing by project: rows of the project and of the deployer that the caller may read. */
export function listedFor(
  queries: Queries,
  principal: Principal,
  type: ResourceType,
  { uid, scope, id }: ProjectColumns,
  { project, resourceId }: Pick<ProjectQuery, 'project' | 'resourceId'>,
  ...more: (SQL | undefined)[]
): SQL {
  return all(
    visible(queries, principal, uid, type),
    inProjectOrShared(queries, principal, scope, project),
    resourceId === undefined || resourceId === '' ? undefined : eq(id, resourceId),
    ...more,
  );
}
