import { invalidRequest } from '@ledger-ops/base';
import { listPage, type Queries } from '@ledger-ops/store';
import type { SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { z } from 'zod';

/** One key to sort by, by the name that the outside knows. */
export interface AdminSortKey {
  key: string;
  direction: 'asc' | 'desc';
}

/** What every paged listing is asked by. */
export interface AdminPaging {
  /** Zero-based. */
  page: number;
  size: number;
  /** None: in order of creation. */
  sort: AdminSortKey[];
}

/** The page envelope (section 2.3). */
export interface AdminPage<Item> {
  contentType: string;
  pageElements: number;
  pageNumber: number;
  totalElements: number;
  totalPages: number;
  pageContent: Item[];
}

/** A listing: its page type, its table, what it is sorted by, and how rows become records. */
export interface Listing<T extends PgTable, Item> {
  readonly contentType: string;
  readonly table: T;
  /** Sortable names → columns. */
  readonly columns: Readonly<Record<string, PgColumn>>;
  /** Unique; also the order of creation. */
  readonly id: PgColumn;
  /** Everything that is filtered, visibility too: totals count what the caller may see. */
  readonly where: SQL | undefined;
  readonly present: (rows: T['$inferSelect'][]) => Promise<Item[]>;
}

/**
 * One page: the one mechanism behind every paged listing of the administration.
 *
 * @throws Problem `invalid-request` with the pointer `sort`, `page` or `size`
 */
export async function listRecords<T extends PgTable, Item>(
  queries: Queries,
  listing: Listing<T, Item>,
  { page, size, sort }: AdminPaging,
): Promise<AdminPage<Item>> {
  const { contentType, table, columns, id, where, present } = listing;
  const { items, total } = await listPage(queries, {
    table,
    where,
    sort: sort.map(({ key, direction }) => ({ column: columnOf(columns, key), direction })),
    page,
    size,
    tieBreaker: id,
  });
  const pageContent = await present(items);
  return {
    contentType,
    pageElements: pageContent.length,
    pageNumber: page,
    totalElements: total,
    totalPages: Math.ceil(total / size),
    pageContent,
  };
}

function columnOf(columns: Readonly<Record<string, PgColumn>>, key: string): PgColumn {
  const column = Object.hasOwn(columns, key) ? columns[key] : undefined;
  if (column !== undefined) return column;
  throw invalidRequest([
    { pointer: 'sort', detail: `takes only the keys ${Object.keys(columns).join(', ')}` },
  ]);
}

/** Schema of a page of one kind of record. */
export function pageOf<Item extends z.ZodType>(contentType: string, item: Item) {
  return z
    .object({
      contentType: z.literal(contentType),
      pageElements: z.int().describe('Items on this page.'),
      pageNumber: z.int().describe('Zero-based.'),
      totalElements: z.int(),
      totalPages: z.int(),
      pageContent: z.array(item),
    })
    .meta({ id: contentType });
}

function whole(minimum: number, maximum: number, fallback: number, description: string) {
  const detail = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, detail)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, detail)
    .default(fallback)
    .meta({ type: 'integer', minimum, maximum, default: fallback, description });
}

/** The parameters `page`, `size` and `sort`. Out of range or an unknown key is refused, never clamped. */
export function pagingParameters(sortable: readonly [string, ...string[]]) {
  return {
    page: whole(0, 999_999_999, 0, 'Zero-based page number.'),
    size: whole(5, 100, 20, 'Items per page.'),
    sort: z
      .array(z.string().max(64))
      .max(32)
      .transform((tokens, context): AdminSortKey[] => {
        const problem = (message: string) => {
          context.addIssue({ code: 'custom', message });
          return z.NEVER;
        };
        const keys: AdminSortKey[] = [];
        let undirected: AdminSortKey | undefined;
        for (const token of tokens) {
          if (token === 'asc' || token === 'desc') {
            if (undirected === undefined) return problem(`has "${token}" without a sort key before it`);
            undirected.direction = token;
            undirected = undefined;
          } else {
            if (!sortable.includes(token)) return problem(`takes only the keys ${sortable.join(', ')}`);
            if (keys.some(({ key }) => key === token)) return problem(`names the key ${token} twice`);
            undirected = { key: token, direction: 'asc' };
            keys.push(undirected);
          }
        }
        return keys;
      })
      .default([])
      .meta({
        type: 'array',
        items: { type: 'string' },
        description: `Sort keys, each optionally followed by asc or desc: ${sortable.join(', ')}.`,
      }),
  };
}
