import type { z } from '@hono/zod-openapi';
import type { Answer } from '../../http/answer.ts';
import { created } from '../../http/answer.ts';
import type { RouteSpec } from '../../http/route.ts';

/** Returns the path of a record below its list. */
export const at = (list: string, id: string | number) => `${list}/${encodeURIComponent(id)}`;

/** Response parts of an operation that creates a record. */
export function creation<View>(
  schema: z.ZodType,
  present: (view: View) => object,
  location: (view: View) => string,
): Pick<RouteSpec<never, never, never>, 'answers' | 'creates'> & {
  answer(view: View, shownOnce?: object): Answer;
} {
  return {
    answers: { 201: { description: 'Created.', schema, headers: ['Location'] } },
    // The service stores the view with the Idempotency-Key, and also returns it to the handler.
    creates: {
      present: (stored) => present(stored as View),
      location: (stored) => location(stored as View),
    },
    // Members that are shown only once are not stored with the key, so a replay does not contain them.
    answer: (view, shownOnce) => created({ ...present(view), ...shownOnce }, location(view)),
  };
}
