import { z } from '@hono/zod-openapi';
import type { RouteSpec } from '../../http/route.ts';

/** The answers of an operation that reads or changes. */
export function answered(schema: z.ZodType): Pick<RouteSpec<never, never, never>, 'answers'>['answers'] {
  return { 200: { description: 'The answer.', schema } };
}

/** The answers of an operation that creates, which are kept with its Idempotency-Key. */
export function createdAs(schema: z.ZodType): Pick<RouteSpec<never, never, never>, 'answers' | 'creates'> {
  return {
    answers: { 201: { description: 'What was created.', schema } },
    creates: { present: (stored) => stored },
  };
}

/** Said of operations whose answer holds a secret. */
export const shownOnce =
  'The answer holds a secret that is shown this once, and is not replayed by its Idempotency-Key.';

/** Parameters of operations that take none, and ignore what is sent although they are not deprecated. */
export const anything = z.object({});
