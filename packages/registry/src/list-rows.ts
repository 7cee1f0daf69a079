import { invalidRequest } from '@ledger-ops/base';
import { listPage, type Queries } from '@ledger-ops/store';
import type { SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { ListQuery } from './types.ts';

/** How a table is listed: which of its columns are sortable by which names, and its order of creation. */
export interface ListPlan<T extends PgTable> {
  table: T;
  where: SQL | undefined;
  columns: Readonly<Record<string, PgColumn>>;
  /** Default order, ascending. */
  created: PgColumn;
  tieBreaker: PgColumn;
}

/**
 * One page of a table, sorted by the names that the outside knows.
 *
 * @throws Problem `invalid-request` with the pointer `sort` for an unknown key.
 */
export async function listRows<T extends PgTable>(
  queries: Queries,
  plan: ListPlan<T>,
  query: ListQuery,
): Promise<{ items: T['$inferSelect'][]; total: number }> {
  const { columns, created, ...rest } = plan;
  const sort = query.sort.map(({ key, direction }) => {
    const column = Object.hasOwn(columns, key) ? columns[key] : undefined;
    if (column === undefined) {
      const known = Object.keys(columns).join(', ');
      throw invalidRequest([
        { pointer: 'sort', detail: `cannot be sorted by "${key}"; the keys are ${known}` },
      ]);
    }
    return { column, direction };
  });
  return listPage(queries, {
    ...rest,
    sort: sort.length > 0 ? sort : [{ column: created, direction: 'asc' }],
    page: query.page,
    size: query.size,
  });
}
