import { z } from 'zod';

/** One key to sort by, by the name that the outside knows. */
export interface SortKey {
  key: string;
  direction: 'asc' | 'desc';
}

export interface Paging {
  /** Zero-based. */
  page: number;
  size: number;
  /** None: in the listing's own order. */
  sort: readonly SortKey[];
  /** Only records that were created after the one of this number, which are then all that are counted; without `sort`. */
  after?: number;
}

/** The page envelope (section 2.3). */
export interface PageBody<Item> {
  contentType: string;
  pageElements: number;
  pageNumber: number;
  totalElements: number;
  totalPages: number;
  pageContent: Item[];
}

/** The items of one page, with how many there are on all, in the envelope. */
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

/** Schema of the page envelope around one kind of item. */
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
 * The query parameters `page`, `size` and `sort` of a listing that can be sorted by the given keys. Out of range
 * or an unknown key is refused, never clamped.
 */
export function pagingParameters(sortable: readonly string[]) {
  return {
    page: whole(0, 999_999_999, 0, 'Zero-based page number.'),
    size: whole(5, 100, 20, 'Items per page.'),
    sort: z
      .array(z.string().max(256))
      .max(100)
      .transform((tokens, context) => {
        const keys = readSort(tokens, sortable);
        if (typeof keys !== 'string') return keys;
        context.addIssue({ code: 'custom', message: keys });
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

/** Why a listing cannot be sorted by a key: ends a sentence about the parameter. */
export function unknownSortKey(sortable: readonly string[]): string {
  return `takes only the keys ${sortable.join(', ')}`;
}

/** Keys and directions as they come, `name,desc,id`; or what is wrong with them. */
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
      if (keys.some(({ key }) => key === token)) return `names the key ${token} twice`;
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
