import { z } from '@hono/zod-openapi';
import { invalidRequest, type Paging } from '@ledger-ops/base';
import { text } from '../../http/schemas.ts';

/** Query parameters of a paged list. */
export const pageQuery = {
  cursor: text(64).optional().openapi({ description: 'The value of `next` in the previous page.' }),
  size: z.coerce.number().int().min(1).max(100).default(20),
};

/** Number of the last returned record. The next page starts after it, even if that record was deleted. */
const place = z.tuple([z.int().min(0)]);

/** Converts the query to paging by order of creation. @throws Problem */
export function pagingOf({ cursor, size }: { cursor?: string | undefined; size: number }): Paging {
  const first = { page: 0, size, sort: [] };
  if (cursor === undefined) return first;
  const { success, data } = place.safeParse(decoded(cursor));
  if (!success)
    throw invalidRequest([{ pointer: 'cursor', detail: 'is not a cursor from `next` of a page' }]);
  return { ...first, after: data[0] };
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Records after a cursor. `total` counts all records after the cursor, `items` contains the first of them. */
interface Found<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Response body: the items of a page and the cursor of the next page. */
export function pageOf<Item extends { readonly id: number }>(
  found: Found<Item>,
  present: (item: Item) => object,
) {
  return { items: found.items.map(present), next: nextOf(found) };
}

/** Cursor of the next page. */
export function nextOf({ items, total }: Found<{ readonly id: number }>): string | null {
  const last = items.at(-1);
  if (last === undefined || items.length >= total) return null;
  return Buffer.from(JSON.stringify([last.id])).toString('base64url');
}

/** Returns a page of a list that was read completely, by record number. */
export function pageOfAll<Item extends { readonly id: number }>(
  { size, after = -1 }: Paging,
  all: readonly Item[],
): Found<Item> {
  const rest = all.filter(({ id }) => id > after);
  return { items: rest.slice(0, size), total: rest.length };
}

/** Schema of {@link pageOf}. */
export function pageOfSchema(name: string, item: z.ZodType) {
  return z
    .object({
      items: z.array(item),
      next: z
        .string()
        .nullable()
        .openapi({ description: 'The cursor of the next page; null on the last page.' }),
    })
    .openapi(name);
}
