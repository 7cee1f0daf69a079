import type { Each } from '../contract/session.ts';
import { type AdapterError, isAdapterError } from '../error.ts';

/**
 * Answers a batch with a plugin author's method, which handles either one request per call or the whole batch
 * (`{ all }`).
 *
 * @param translate converts other errors to AdapterErrors
 *
 * @param failed returns the answer for a request that failed. If absent, one failed request fails the batch.
 * Not used with `all`.
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
