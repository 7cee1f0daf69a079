import { NoAnswerError } from './no-answer.ts';
import { secondsToWait } from './problem.ts';
import { pause, type Timing } from './timing.ts';

/** Statuses with which the service did not execute the request. It may state when to retry. */
const refusedForNow = new Set([429, 503]);
/** Statuses of proxies, which do not know whether the service executed the request. */
const outcomeUnknown = new Set([502, 504]);

export interface RetryOptions {
  readonly method: string;
  readonly url: string;
  readonly timing: Timing;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request may be repeated although it may have been executed. */
  readonly repeatable: boolean;
}

/**
 * Retries until there is a response that a retry would not change.
 *
 * @param attempt rejects if there is no response
 *
 * @throws NoAnswerError, or the signal's reason
 */
export async function withRetries(
  attempt: () => Promise<Response>,
  { method, url, timing, signal, repeatable }: RetryOptions,
): Promise<Response> {
  for (let n = 1; ; n += 1) {
    const isLast = n >= timing.tries;
    let wait = timing.again * 2 ** (n - 1) * (0.5 + Math.random() / 2);
    try {
      const response = await whole(await attempt());
      const { status } = response;
      if (isLast || !(refusedForNow.has(status) || (repeatable && outcomeUnknown.has(status))))
        return response;
      const asked = secondsToWait(response.headers);
      if (asked !== undefined) wait = Math.max(wait, asked * 1_000);
      if (wait > timing.retryAfter) return response;
      await response.body?.cancel();
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (isLast || !repeatable) throw new NoAnswerError({ method, url, tries: n }, error);
    }
    await pause(wait, signal);
  }
}

/**
 * Reads the whole response. An incomplete response counts as no response.
 * @throws TypeError
 */
async function whole(response: Response): Promise<Response> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (response.body === null || isStream) return response;
  return new Response(await response.arrayBuffer(), response);
}
