import { asc, count, desc, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Queries } from './types.ts';

/** One sort key. */
export interface SortKey {
  readonly column: PgColumn;
  readonly direction: 'asc' | 'desc';
}

/** What to list. */
export interface ListPageOptions<T extends PgTable> {
  readonly table: T;
  readonly where?: SQL | undefined;
  /** In this order; nulls come first ascending and last descending, in both dialects. */
  readonly sort: readonly SortKey[];
  /** Zero-based. */
  readonly page: number;
  readonly size: number;
  /** A unique column that makes the order total, ascending unless the sort keys name it. */
  readonly tieBreaker: PgColumn;
}

/** A page and the number of all rows that `where` admits. */
export interface ListedPage<T extends PgTable> {
  readonly items: T['$inferSelect'][];
  readonly total: number;
}

/** Lists one page of a table: the one mechanism behind every paged listing. */
export async function listPage<T extends PgTable>(
  queries: Queries,
  options: ListPageOptions<T>,
): Promise<ListedPage<T>> {
  // drizzle cannot infer rows of a table that is still generic; they are those of the table asked for.
  const table: PgTable = options.table;
  const keys = options.sort.some(({ column }) => column === options.tieBreaker)
    ? options.sort
    : [...options.sort, { column: options.tieBreaker, direction: 'asc' as const }];
  const items = (await queries.db
    .select()
    .from(table)
    .where(options.where)
    .orderBy(...keys.map(orderOf))
    .limit(options.size)
    .offset(options.page * options.size)) as T['$inferSelect'][];
  if (options.page === 0 && items.length < options.size) return { items, total: items.length };
  const [row] = await queries.db.select({ total: count() }).from(table).where(options.where);
  return { items, total: row?.total ?? 0 };
}

function orderOf({ column, direction }: SortKey): SQL {
  const order = direction === 'asc' ? asc(column) : desc(column);
  // Only where nulls occur: an index in its plain order serves the rest.
  if (column.notNull) return order;
  return direction === 'asc' ? sql`${order} nulls first` : sql`${order} nulls last`;
}
