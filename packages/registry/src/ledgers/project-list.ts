import type { Principal, ResourceType } from '@ledger-ops/auth';
import type { Queries } from '@ledger-ops/store';
import { eq, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { inProjectOrShared } from '../scope.ts';
import { all, visible } from '../visible.ts';
import type { ProjectQuery } from './types.ts';

/** Columns used to decide which rows of a table a project sees. */
export interface ProjectColumns {
  uid: PgColumn;
  scope: PgColumn;
  /** The column that `resourceId` is compared with. */
  id: PgColumn;
}

/** SQL condition of a project's listing: the project's and the deployer's rows that the caller may read. */
export function listedFor(
  queries: Queries,
  principal: Principal,
  type: ResourceType,
  { uid, scope, id }: ProjectColumns,
  { projectId, resourceId }: Pick<ProjectQuery, 'projectId' | 'resourceId'>,
  ...more: (SQL | undefined)[]
): SQL {
  return all(
    visible(queries, principal, uid, type),
    inProjectOrShared(queries, principal, scope, projectId),
    resourceId === undefined || resourceId === '' ? undefined : eq(id, resourceId),
    ...more,
  );
}
