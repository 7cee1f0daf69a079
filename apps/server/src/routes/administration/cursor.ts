import { z } from '@hono/zod-openapi';
import { invalidRequest, type PageBody, type Paging } from '@ledger-ops/base';
import { text } from '../../http/schemas.ts';

/** Query parameters of a list in pages. */
export const pageQuery = {
  cursor: text(64).optional().openapi({ description: 'next of the page before.' }),
  size: z.coerce.number().int().min(1).max(100).default(20),
};

/** The number of the last record that was answered, whose successors are the next page whatever has gone since. */
const place = z.tuple([z.int().min(0)]);

/** The page that is asked for, in the order of creation. @throws Problem */
export function pagingOf({ cursor, size }: { cursor?: string | undefined; size: number }): Paging {
  const first = { page: 0, size, sort: [] };
  if (cursor === undefined) return first;
  const { success, data } = place.safeParse(decoded(cursor));
  if (!success) throw invalidRequest([{ pointer: 'cursor', detail: 'is the next of no page' }]);
  return { ...first, after: data[0] };
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Records from a place on, in the order of their numbers, and how many there are from there. */
type Found<Item> = Pick<PageBody<Item>, 'pageContent' | 'totalElements'>;

/** The answer: the items of a page, and the cursor of the next one. */
export function pageOf<Item extends { readonly id: number }>(
  found: Found<Item>,
  present: (item: Item) => object,
) {
  return { items: found.pageContent.map(present), next: nextOf(found) };
}

/** The cursor of the page after these. */
export function nextOf({ pageContent, totalElements }: Found<{ readonly id: number }>): string | null {
  const last = pageContent.at(-1);
  if (last === undefined || pageContent.length >= totalElements) return null;
  return Buffer.from(JSON.stringify([last.id])).toString('base64url');
}

/** A page of a service that tells how many there are. */
export function listed<Item>({ items, total }: { items: Item[]; total: number }): Found<Item> {
  return { pageContent: items, totalElements: total };
}

/** The page of a list that is short enough to be read whole, in the order of its numbers. */
export function pageOfAll<Item extends { readonly id: number }>(
  { size, after = -1 }: Paging,
  all: readonly Item[],
): Found<Item> {
  const rest = all.filter(({ id }) => id > after);
  return { pageContent: rest.slice(0, size), totalElements: rest.length };
}

/** Schema of {@link pageOf}. */
export function pageOfSchema(name: string, item: z.ZodType) {
  return z
    .object({
      items: z.array(item),
      next: z
        .string()
        .nullable()
        .openapi({ description: 'The cursor of the next page; null: there is none.' }),
    })
    .openapi(name);
}
