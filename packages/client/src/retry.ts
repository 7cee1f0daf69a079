import { secondsToWait } from './problem.ts';
import { pause, type Timing } from './timing.ts';

/** The service did not do it, and says when it may. */
const refusedForNow = new Set([429, 503]);
/** A proxy does not know whether the service did it. */
const outcomeUnknown = new Set([502, 504]);

/** How a request is tried. */
export interface RetryOptions {
  readonly timing: Timing;
  readonly signal?: AbortSignal | undefined;
  /** Whether it may be sent though it may have been carried out already. */
  readonly repeatable: boolean;
}

/**
 * Tries until there is an answer that another try does not change.
 * @param attempt rejects where there is no answer
 */
export async function withRetries(
  attempt: () => Promise<Response>,
  { timing, signal, repeatable }: RetryOptions,
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
      if (isLast || !repeatable || signal?.aborted === true) throw error;
    }
    await pause(wait, signal);
  }
}

/** An answer that breaks off is lost, as one that does not come. @throws TypeError */
async function whole(response: Response): Promise<Response> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (response.body === null || isStream) return response;
  return new Response(await response.arrayBuffer(), response);
}
