import type { Each } from '../contract/session.ts';
import { type AdapterError, isAdapterError } from '../error.ts';

/**
 * Answers a batch of requests with a method that the author wrote for one request or for all.
 *
 * @param translate converts other errors to AdapterErrors
 *
 * @param failed creates the answer for a request that failed; if absent, the error fails the whole call
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
