import { invalidRequest, type Paging, unknownSortKey } from '@ledger-ops/base';
import { and, asc, Column, count, desc, getTableColumns, gt, inArray, is, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Queries } from './types.ts';

/** The table to list, its sortable columns, and its default order. */
export interface Listing<T extends PgTable, Long extends keyof T['$inferSelect'] = never> {
  readonly table: T;
  /**
   * Long columns that the listing does not show. They are not read, because a page with them can have hundreds of
   * megabytes.
   */
  readonly without?: readonly Long[];
  /**
   * Limits the bytes of a page. `of` is the number of bytes of a row's long values, and `most` the maximum for all rows
   * of a page. The rows beyond it are `shortened`: their `emptied` columns, which contain text, are read as empty
   * texts.
   */
  readonly bytes?: {
    readonly of: SQL<number>;
    readonly most: number;
    readonly emptied?: readonly (keyof T['$inferSelect'])[];
  };
  /** All filters, including those for visibility, because totals must count only what the caller may see. */
  readonly where?: SQL | undefined;
  /**
   * Column or expression of each sort key. In both dialects, nulls come first in ascending and last in descending
   * order.
   */
  readonly columns: Readonly<Record<string, PgColumn | SQL>>;
  /**
   * Column of the default order, which is ascending. Default: `tieBreaker`. For `after` pages, it must be an increasing
   * number.
   */
  readonly created?: PgColumn;
  /** A unique column that makes the order total. It is sorted in ascending order unless a sort key names it. */
  readonly tieBreaker: PgColumn;
}

/** A page, and the number of all rows that match `where`. */
export interface ListedPage<T extends PgTable, Long extends keyof T['$inferSelect'] = never> {
  readonly items: Omit<T['$inferSelect'], Long>[];
  readonly total: number;
  /** The `tieBreaker` values of the rows whose long columns were emptied. */
  readonly shortened: ReadonlySet<unknown>;
}

interface Order {
  readonly column: PgColumn | SQL;
  readonly direction: 'asc' | 'desc';
}

/**
 * Lists one page of a table. All paged listings use this function.
 *
 * @throws Problem `invalid-request` with the pointer `sort` for an unknown key
 */
export async function listPage<T extends PgTable, Long extends keyof T['$inferSelect'] = never>(
  queries: Queries,
  listing: Listing<T, Long>,
  { page, size, sort, after }: Paging,
): Promise<ListedPage<T, Long>> {
  const table: PgTable = listing.table;
  const without = new Set<PropertyKey>(listing.without);
  const shown = Object.entries(getTableColumns(table)).filter(([name]) => !without.has(name));
  const number = listing.created ?? listing.tieBreaker;
  const where = after === undefined ? listing.where : and(listing.where, gt(number, after));
  const shortened = new Set<unknown>();
  if (listing.bytes !== undefined && size > 1) {
    const rows = await queries.db
      .select({ key: listing.tieBreaker, bytes: listing.bytes.of })
      .from(table)
      .where(where)
      .orderBy(...ordersOf(listing, sort).map(orderOf))
      .limit(size)
      .offset(page * size);
    for (const { key } of rowsBeyond(rows, listing.bytes.most)) shortened.add(key);
  }
  const emptied = new Set<PropertyKey>(shortened.size > 0 ? listing.bytes?.emptied : []);
  const isShortened = inArray(listing.tieBreaker, [...shortened]);
  // drizzle cannot infer the row type of a generic table.
  const items = (await queries.db
    .select(
      Object.fromEntries(
        shown.map(([name, column]) => [
          name,
          emptied.has(name) ? sql`case when ${isShortened} then '' else ${column} end` : column,
        ]),
      ),
    )
    .from(table)
    .where(where)
    .orderBy(...ordersOf(listing, sort).map(orderOf))
    .limit(size)
    .offset(page * size)) as Omit<T['$inferSelect'], Long>[];
  if (page === 0 && items.length < size) return { items, total: items.length, shortened };
  const [row] = await queries.db.select({ total: count() }).from(table).where(where);
  return { items, total: row?.total ?? 0, shortened };
}

/** Returns the rows that come after the limit of `most` bytes is reached. The first row is never among them. */
function rowsBeyond<R extends { readonly bytes: number }>(rows: readonly R[], most: number): readonly R[] {
  let sum = 0;
  const first = rows.findIndex(({ bytes }, index) => {
    sum += Number(bytes);
    return index > 0 && sum > most;
  });
  return first < 0 ? [] : rows.slice(first);
}

function ordersOf<T extends PgTable>(
  { columns, created, tieBreaker }: Pick<Listing<T>, 'columns' | 'created' | 'tieBreaker'>,
  sort: Paging['sort'],
): Order[] {
  const named = sort.map(({ key, direction }) => {
    const column = Object.hasOwn(columns, key) ? columns[key] : undefined;
    if (column !== undefined) return { column, direction };
    throw invalidRequest([{ pointer: 'sort', detail: unknownSortKey(Object.keys(columns)) }]);
  });
  const orders =
    named.length > 0 || created === undefined ? named : [{ column: created, direction: 'asc' as const }];
  if (orders.some(({ column }) => column === tieBreaker)) return orders;
  return [...orders, { column: tieBreaker, direction: 'asc' }];
}

function orderOf({ column, direction }: Order): SQL {
  const order = direction === 'asc' ? asc(column) : desc(column);
  // The order of nulls is added only for nullable columns, because without it, a plain index can serve the sort.
  if (is(column, Column) && column.notNull) return order;
  return direction === 'asc' ? sql`${order} nulls first` : sql`${order} nulls last`;
}
