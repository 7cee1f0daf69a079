import type { z } from '@hono/zod-openapi';
import { type Paging, pageBody, pageSchema } from '@ledger-ops/base';
import { type Answer, ok } from './answer.ts';
import type { AnswerSpec } from './route.ts';

/** A kind of page: what the reference says of it, and how it is answered. */
export interface PageKind {
  readonly answers: { readonly 200: AnswerSpec };
  /** Items are answered as they are found, or as `present` makes them. */
  answer<Row>(
    query: Pick<Paging, 'page' | 'size'>,
    found: Found<Row>,
    present?: (row: Row) => unknown,
  ): Answer;
}

/** One page of a service's records, and how many there are on all. */
interface Found<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** A page of one kind of item. */
export function pageKind(contentType: string, item: z.ZodType, description: string): PageKind {
  return {
    answers: { 200: { description, schema: pageSchema(contentType, item) } },
    answer: (query, { items, total }, present) =>
      ok(
        pageBody<unknown>(contentType, query, total, present === undefined ? [...items] : items.map(present)),
      ),
  };
}
