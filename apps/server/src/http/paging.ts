import { z } from '@hono/zod-openapi';
import type { SortKey } from '@ledger-ops/runtime';

/** What every paged listing is asked by. */
export interface Paging {
  page: number;
  size: number;
  sort: SortKey[];
}

function whole(minimum: number, maximum: number, fallback: number, description: string) {
  const detail = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, detail)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, detail)
    .default(fallback)
    .openapi({ type: 'integer', minimum, maximum, default: fallback, description });
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
      .array(z.string())
      .transform((tokens, context): SortKey[] => {
        const keys: SortKey[] = [];
        const directed = new Set<SortKey>();
        for (const token of tokens) {
          const last = keys.at(-1);
          if (token === 'asc' || token === 'desc') {
            if (last === undefined || directed.has(last)) {
              context.addIssue({ code: 'custom', message: `has "${token}" without a sort key before it` });
              return z.NEVER;
            }
            last.direction = token;
            directed.add(last);
          } else if (!sortable.includes(token)) {
            context.addIssue({ code: 'custom', message: `takes only the keys ${sortable.join(', ')}` });
            return z.NEVER;
          } else if (keys.some(({ key }) => key === token)) {
            context.addIssue({ code: 'custom', message: `names the key ${token} twice` });
            return z.NEVER;
          } else {
            keys.push({ key: token, direction: 'asc' });
          }
        }
        return keys;
      })
      .default([])
      .openapi({
        type: 'array',
        items: { type: 'string' },
        description: `Sort keys, each optionally followed by asc or desc: ${sortable.join(', ')}.`,
      }),
  };
}

/** The page envelope of section 2.3. */
export function pageBody(
  contentType: string,
  { page, size }: Pick<Paging, 'page' | 'size'>,
  total: number,
  pageContent: readonly unknown[],
) {
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
      pageElements: z.int().openapi({ description: 'Items on this page.' }),
      pageNumber: z.int().openapi({ description: 'Zero-based.' }),
      totalElements: z.int(),
      totalPages: z.int(),
      pageContent: z.array(item),
    })
    .openapi(contentType);
}
