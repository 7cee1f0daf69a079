import type { z } from '@hono/zod-openapi';
import type { RouteSpec } from '../../http/route.ts';

/** Responses of an operation that reads or changes a record. */
export function answered(schema: z.ZodType): Pick<RouteSpec<never, never, never>, 'answers'>['answers'] {
  return { 200: { description: 'The result.', schema } };
}

/** Description of operations that return a secret. */
export const shownOnce =
  'The response contains a secret that is shown only once. A retry with the same Idempotency-Key does not return it.';
