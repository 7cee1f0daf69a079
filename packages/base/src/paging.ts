import { z } from 'zod';

/** A sort key, under the name that it has in the API. */
export interface SortKey {
  key: string;
  direction: 'asc' | 'desc';
}

export interface Paging {
  /** Zero-based. */
  page: number;
  size: number;
  /** Empty for the listing's default order. */
  sort: readonly SortKey[];
  /**
   * If set, the page contains only records created after the record with this number, and the total counts only these.
   * Cannot be combined with `sort`.
   */
  after?: number;
}

/** One page of records, and the number of records on all pages. */
export interface ListResult<Item> {
  items: Item[];
  total: number;
}

/** The envelope of a page (specification, section 2.3). */
export interface PageBody<Item> {
  contentType: string;
  pageElements: number;
  pageNumber: number;
  totalElements: number;
  totalPages: number;
  pageContent: Item[];
}

/** Wraps the items of one page and the total in the envelope. */
export function pageBody<Item>(
  contentType: string,
  { page, size }: Pick<Paging, 'page' | 'size'>,
  total: number,
  pageContent: Item[],
): PageBody<Item> {
  return {
    contentType,
    pageElements: pageContent.length,
    pageNumber: page,
    totalElements: total,
    totalPages: Math.ceil(total / size),
    pageContent,
  };
}

/** Returns the schema of a page of `item` records. */
export function pageSchema<Item extends z.ZodType>(contentType: string, item: Item) {
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

/**
 * Returns the query parameters `page`, `size` and `sort` of a listing . It can be sorted by `keys`. Values out of range
 * and unknown keys are rejected, not adjusted.
 *
 * @param keys sort keys; an object maps each key to the listing's name for it
 */
export function pagingParameters(keys: readonly string[] | Readonly<Record<string, string>>) {
  const names = new Map(Array.isArray(keys) ? keys.map((key) => [key, key]) : Object.entries(keys));
  const sortable = [...names.keys()];
  return {
    page: pageNumber,
    size: pageSize,
    sort: z
      .array(z.string().max(256))
      .max(100)
      .transform((tokens, context) => {
        const sort = readSort(tokens, sortable);
        if (typeof sort !== 'string')
          return sort.map(({ key, direction }) => ({ key: names.get(key) ?? key, direction }));
        context.addIssue({ code: 'custom', message: sort });
        return z.NEVER;
      })
      .default([])
      .meta({
        type: 'array',
        items: { type: 'string' },
        description: `Sort keys, each optionally followed by asc or desc: ${sortable.join(', ')}.`,
      }),
  };
}

/**
 * Returns the error message for a sort key that the listing does not support, as a predicate of the parameter's name.
 */
export function unknownSortKey(sortable: readonly string[]): string {
  return `allows only the keys ${sortable.join(', ')}`;
}

/**
 * Parses sort keys with optional directions, such as `name,desc,id` (name descending, then id). Returns an
 * error message if they are invalid.
 */
function readSort(tokens: readonly string[], sortable: readonly string[]): SortKey[] | string {
  const keys: SortKey[] = [];
  let undirected: SortKey | undefined;
  for (const token of tokens) {
    if (token === 'asc' || token === 'desc') {
      if (undirected === undefined) return `has "${token}" without a sort key before it`;
      undirected.direction = token;
      undirected = undefined;
    } else {
      if (!sortable.includes(token)) return unknownSortKey(sortable);
      if (keys.some(({ key }) => key === token)) return `contains the key ${token} twice`;
      undirected = { key: token, direction: 'asc' };
      keys.push(undirected);
    }
  }
  return keys;
}

function whole(minimum: number, maximum: number, fallback: number, description: string) {
  const detail = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .max(9, { error: detail, abort: true })
    .regex(/^[0-9]{1,9}$/, detail)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, detail)
    .default(fallback)
    .meta({ type: 'integer', minimum, maximum, default: fallback, description });
}

const pageNumber = whole(0, 999_999_999, 0, 'Zero-based page number.');
const pageSize = whole(5, 100, 20, 'Items per page.');
