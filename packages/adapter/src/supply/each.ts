import type { Each } from '../contract/session.ts';
import { type AdapterError, isAdapterError } from '../error.ts';

/**
 * Answers many requests by a method that an author wrote for one, or for all.
 * @param translate makes AdapterErrors of others
 * @param failed makes the answer to a request whose method threw this; absent: the whole call throws it
 */
export function answerAll<Request, Answer>(
  each: Each<Request, Answer>,
  translate: (error: unknown) => unknown,
  failed?: (error: AdapterError) => Answer,
): (requests: Request[]) => Promise<Answer[]> {
  if (typeof each === 'object') return async (requests) => each.all(requests);
  return (requests) =>
    Promise.all(
      requests.map(async (request) => {
        try {
          return await each(request);
        } catch (thrown) {
          const error = translate(thrown);
          if (failed === undefined || !isAdapterError(error)) throw error;
          return failed(error);
        }
      }),
    );
}
