import { NoAnswerError, wasNeverSent } from './no-answer.ts';
import { secondsToWait } from './problem.ts';
import { anyOf, raced } from './signals.ts';
import { pause, type Timing } from './timing.ts';

/** Statuses of requests that the service did not execute. The response may state when to retry. */
const refusedForNow = new Set([429, 503]);
/** Statuses of proxies, which do not know whether the service executed the request. */
const proxyFailures = new Set([502, 504]);

export interface RetryOptions {
  readonly method: string;
  readonly url: string;
  readonly timing: Timing;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request may be repeated although it may have been executed. */
  readonly repeatable: boolean;
}

/**
 * A request with its retries.
 *
 * `tries` counts the requests that were sent. `mayHaveExecuted` becomes true, and stays true, when one of
 * them may have been executed although no response confirms it.
 */
export class RetriedRequest {
  readonly #options: RetryOptions;
  #tries = 0;
  #mayHaveExecuted = false;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  get tries(): number {
    return this.#tries;
  }

  get mayHaveExecuted(): boolean {
    return this.#mayHaveExecuted;
  }

  /**
   * Retries until there is a response that a retry would not change.
   *
   * @param attempt rejects if there is no response
   *
   * @throws NoAnswerError, or the signal's reason
   */
  async send(attempt: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
    const { method, url, timing, signal, repeatable } = this.#options;
    for (let n = 1; ; n += 1) {
      signal?.throwIfAborted();
      this.#tries += 1;
      const isLast = n >= timing.tries;
      let wait = timing.again * 2 ** (n - 1) * (0.5 + Math.random() / 2);
      try {
        const timeout = AbortSignal.timeout(timing.answer);
        const bound = signal === undefined ? timeout : anyOf([signal, timeout]);
        const response = await raced(attempt(bound).then(whole), bound);
        const { status } = response;
        const isUndecided = !(await isDecided(response));
        if (isUndecided) this.#mayHaveExecuted = true;
        const isRetried = refusedForNow.has(status) || proxyFailures.has(status);
        if (isLast || !isRetried || (isUndecided && !repeatable)) return response;
        const asked = secondsToWait(response.headers);
        if (asked !== undefined) wait = Math.max(wait, asked * 1_000);
        if (wait > timing.retryAfter) return response;
        await response.body?.cancel();
      } catch (error) {
        if (!wasNeverSent(error)) this.#mayHaveExecuted = true;
        signal?.throwIfAborted();
        if (isLast || !repeatable) throw new NoAnswerError({ method, url, tries: this.#tries }, error);
      }
      await pause(wait, signal);
    }
  }
}

/**
 * Whether the response proves that the request was executed or was not. A failure of the service or of a
 * proxy proves neither. The same is true of the problem `unavailable`, because the connection to the database
 * may have failed during the commit.
 */
async function isDecided(response: Response): Promise<boolean> {
  const { status } = response;
  if (status < 500) return status !== 408;
  if (status !== 503) return false;
  const text = await response.clone().text();
  return text.includes('"urn:ledger-ops:problem:') && !text.includes('"urn:ledger-ops:problem:unavailable"');
}

/**
 * Reads the whole response. An incomplete response counts as no response.
 * @throws TypeError
 */
async function whole(response: Response): Promise<Response> {
  if (response.body === null || isEventStream(response)) return response;
  return new Response(await response.arrayBuffer(), response);
}

export function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
}
