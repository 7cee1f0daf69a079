import type { OutboundPolicy } from '../contract/definition.ts';
import type { AnswerLimits } from './answer.ts';
import { OutboundClient, type OutboundClientOptions } from './client.ts';

/** `fetch` with the outbound guard: follows no redirects, reads the whole answer, and reserves its memory while it is used. */
export interface GuardedFetch {
  /**
   * Passes the answer to `use`, and returns the result of `use`. The memory of the answer stays reserved until then.
   * @throws ExchangeError, and whatever `use` throws
   */
  exchange<Result>(
    url: string,
    init: RequestInit,
    use: (response: Response) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
}

/** Statuses whose Response may not have content. */
const withoutContent = new Set([204, 205, 304]);

/** Creates a fetch that keeps its connections between calls, until `close`. */
export function createGuardedFetch(
  policy: OutboundPolicy,
  { limits, ...options }: OutboundClientOptions & { limits: AnswerLimits },
): GuardedFetch {
  const client = new OutboundClient(policy, options);
  return {
    exchange: (url, { method, headers, body, signal }, use) =>
      client.exchange(
        {
          url: new URL(url),
          method: method === 'POST' ? 'POST' : 'GET',
          headers: Object.fromEntries(new Headers(headers)),
          ...(typeof body === 'string' ? { body } : {}),
          ...(signal === undefined || signal === null ? {} : { signal }),
          limits,
        },
        (answer) =>
          use(
            // A stream, because other bodies would be copied.
            new Response(withoutContent.has(answer.status) ? null : ReadableStream.from([answer.content]), {
              status: answer.status,
              headers: Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
                [value ?? []].flat().map((one) => [name, one]),
              ),
            }),
          ),
      ),
    close: () => client.close(),
  };
}
