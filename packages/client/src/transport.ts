import createFetchClient, { type Client } from 'openapi-fetch';
import { randomId } from './assertion.ts';
import type { Fetch } from './fetch.ts';
import { problemOf } from './problem.ts';
import { withRetries } from './retry.ts';
import type { paths } from './schema.generated.ts';
import { keyedPaths } from './served.generated.ts';
import { anyOf } from './signals.ts';
import type { Timing } from './timing.ts';
import type { Tokens } from './tokens.ts';

/** Requests with credentials, tried again where that is safe. */
export interface Transport {
  /** Every operation of the service, typed. Rejects with a {@link ProblemError} where it is refused. */
  readonly http: Client<paths>;
  /** Without a limit on how long the answer's body takes. @throws ProblemError */
  stream(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
}

/** Options of {@link createTransport}. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly tokens: Tokens;
  readonly fetch: Fetch;
  readonly timing: Timing;
}

const idempotencyKey = 'Idempotency-Key';
/** Of POST: those that only read. */
const reading: ReadonlySet<string> = new Set([
  '/v1/ledger-ops/emulate',
  '/v1/ledger-ops/search/actions',
  '/v1/ledger-ops/search/intents',
] satisfies (keyof paths)[]);

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, applicationToken, tokens, timing } = options;

  const attempt = async (
    request: Request,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<Response> => {
    const one = new Request(request.clone(), { redirect: 'manual', signal });
    one.headers.set('ApplicationToken', applicationToken);
    if (token !== undefined) one.headers.set('Authorization', `Bearer ${token}`);
    return await options.fetch(one, { signal });
  };

  /** A token may have been revoked before its time: then once more with a new one. */
  async function authorized(
    request: Request,
    send: (token: string | undefined) => Promise<Response>,
  ): Promise<Response> {
    // Who signs in has no access token yet, and who signs out shows the token that ends.
    if (request.url.startsWith(`${baseUrl}/v1/auth/`)) return await send(undefined);
    const token = await tokens.get();
    const response = await send(token);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    tokens.drop(token);
    return await send(await tokens.get());
  }

  const send = async (request: Request) => {
    const { method, headers, signal } = request;
    const path = request.url.slice(baseUrl.length);
    const repeatable = method !== 'POST' || headers.has(idempotencyKey) || reading.has(path);
    const bounded = () => anyOf([signal, AbortSignal.timeout(timing.answer)]);
    return await authorized(
      request,
      async (token) =>
        await withRetries(() => attempt(request, token, bounded()), { timing, signal, repeatable }),
    );
  };

  const http = createFetchClient<paths>({ baseUrl, fetch: send });
  http.use({
    onRequest({ request, schemaPath }) {
      const isKeyed = request.method === 'POST' && keyedPaths.has(schemaPath);
      if (isKeyed && !request.headers.has(idempotencyKey)) request.headers.set(idempotencyKey, randomId());
      return request;
    },
    async onResponse({ response }) {
      if (!response.ok) throw await problemOf(response);
    },
  });

  return {
    http,
    async stream(path, headers, signal) {
      const request = new Request(`${baseUrl}${path}`, {
        headers: { ...headers, Accept: 'text/event-stream' },
        redirect: 'manual',
      });
      const response = await authorized(request, async (token) => await attempt(request, token, signal));
      if (response.ok) return response;
      throw await problemOf(response);
    },
  };
}

/**
 * The data of an answer: `await answer(ledger.http.GET('/v1/plugins', …))`. Refusals are thrown by the request already.
 * @throws ProblemError
 */
export async function answer<Data>(
  asked: Promise<{ data?: Data; response: Response }>,
): Promise<Exclude<Data, undefined>> {
  const { data } = await asked;
  // An operation without data answers none, and has the type `never` here.
  return data as Exclude<Data, undefined>;
}
