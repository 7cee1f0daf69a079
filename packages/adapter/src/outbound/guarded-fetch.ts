import type { OutboundPolicy } from '../contract/definition.ts';
import type { AnswerLimits } from './answer.ts';
import { OutboundClient, type OutboundClientOptions } from './client.ts';

/** `fetch` with the outbound guard, for libraries that need it: follows no redirects, and reads the whole answer. */
export interface GuardedFetch {
  /** @throws ExchangeError */
  fetch(url: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Statuses whose Response may not have content. */
const withoutContent = new Set([204, 205, 304]);

/** Connections are kept between calls, until `close`. */
export function createGuardedFetch(
  policy: OutboundPolicy,
  { limits, ...options }: OutboundClientOptions & { limits: AnswerLimits },
): GuardedFetch {
  const client = new OutboundClient(policy, options);
  return {
    fetch: (url, { method, headers, body, signal }) =>
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
          new Response(withoutContent.has(answer.status) ? null : Uint8Array.from(answer.content), {
            status: answer.status,
            headers: Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
              [value ?? []].flat().map((one) => [name, one]),
            ),
          }),
      ),
    close: () => client.close(),
  };
}
