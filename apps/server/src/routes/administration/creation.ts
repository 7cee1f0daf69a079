import type { z } from '@hono/zod-openapi';
import type { Answer } from '../../http/answer.ts';
import { created } from '../../http/answer.ts';
import type { RouteSpec } from '../../http/route.ts';

/** Path of a record below its list. */
export const at = (list: string, id: string | number) => `${list}/${encodeURIComponent(id)}`;

/** An operation that creates: kept with its Idempotency-Key, answered with where the record is. */
export function creation<View>(
  schema: z.ZodType,
  present: (view: View) => object,
  location: (view: View) => string,
): Pick<RouteSpec<never, never, never>, 'answers' | 'creates'> & { answer(view: View): Answer } {
  return {
    answers: { 201: { description: 'It is created.', schema, headers: ['Location'] } },
    // Stored by the administration, which gives it to the handler, too.
    creates: {
      present: (stored) => present(stored as View),
      location: (stored) => location(stored as View),
    },
    answer: (view) => created(present(view), location(view)),
  };
}
