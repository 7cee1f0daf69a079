import { z } from '@hono/zod-openapi';
import { invalidRequest, type PageBody, type Paging } from '@ledger-ops/base';
import { text } from '../../http/schemas.ts';

/** Query parameters of a list in pages. */
export const pageQuery = {
  cursor: text(64).optional().openapi({ description: 'next of the page before.' }),
  size: z.coerce.number().int().min(1).max(100).default(20),
};

const place = z.tuple([z.int().min(0), z.int().min(1).max(100)]);

/** The page that is asked for, in the order of creation; a cursor keeps the size of its pages. @throws Problem */
export function pagingOf({ cursor, size }: { cursor?: string | undefined; size: number }): Paging {
  if (cursor === undefined) return { page: 0, size, sort: [] };
  const { success, data } = place.safeParse(decoded(cursor));
  if (!success) throw invalidRequest([{ pointer: 'cursor', detail: 'is the next of no page' }]);
  return { page: data[0], size: data[1], sort: [] };
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** The answer: the items of a page, and the cursor of the next one. */
export function pageOf<Item>(
  { page, size }: Paging,
  { pageContent, totalPages }: Pick<PageBody<Item>, 'pageContent' | 'totalPages'>,
  present: (item: Item) => object,
) {
  const next = page + 1 < totalPages ? JSON.stringify([page + 1, size]) : null;
  return {
    items: pageContent.map(present),
    next: next === null ? null : Buffer.from(next).toString('base64url'),
  };
}

/** A page of a service that tells how many there are on all. */
export function listed<Item>({ size }: Paging, { items, total }: { items: Item[]; total: number }) {
  return { pageContent: items, totalPages: Math.ceil(total / size) };
}

/** The page of a list that is short enough to be read whole. */
export function pageOfAll<Item>({ page, size }: Paging, all: readonly Item[]) {
  return listed(
    { page, size, sort: [] },
    { items: all.slice(page * size, (page + 1) * size), total: all.length },
  );
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
