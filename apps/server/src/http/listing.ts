import type { z } from '@hono/zod-openapi';
import { type Paging, pageBody, pageSchema } from '@ledger-ops/base';
import { type Answer, ok } from './answer.ts';
import type { AnswerSpec } from './route.ts';

/** A type of page: its OpenAPI responses, and a function that creates a response. */
export interface PageKind {
  readonly answers: { readonly 200: AnswerSpec };
  /** Creates the response for a page; `present` converts the items. */
  answer<Row>(
    query: Pick<Paging, 'page' | 'size'>,
    found: Found<Row>,
    present?: (row: Row) => unknown,
  ): Answer;
}

/** One page of records, and the total number of records. */
interface Found<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

export function pageKind(contentType: string, item: z.ZodType, description: string): PageKind {
  return {
    answers: { 200: { description, schema: pageSchema(contentType, item) } },
    answer: (query, { items, total }, present) =>
      ok(
        pageBody<unknown>(contentType, query, total, present === undefined ? [...items] : items.map(present)),
      ),
  };
}
