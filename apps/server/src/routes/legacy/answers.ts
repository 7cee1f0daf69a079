import { z } from '@hono/zod-openapi';
import type { RouteSpec } from '../../http/route.ts';

/**
 * Responses of an operation that creates a record. The record is stored with its Idempotency-Key in its current form;
 * `present` makes the deprecated one.
 */
export function createdAs<View>(
  schema: z.ZodType,
  present?: (view: View) => unknown,
  description = 'The created record.',
): Pick<RouteSpec<never, never, never>, 'answers' | 'creates'> {
  return {
    answers: { 201: { description, schema } },
    // The stored value is the record, because the function that creates the record stores its result.
    creates: { present: (stored) => (present === undefined ? stored : present(stored as View)) },
  };
}

/** Query of operations that are not deprecated but ignore unknown parameters. */
export const anything = z.object({});
