import createFetchClient, { type Client } from 'openapi-fetch';
import { randomId } from './assertion.ts';
import type { Fetch } from './fetch.ts';
import { NoAnswerError } from './no-answer.ts';
import { problemOf } from './problem.ts';
import { withRetries } from './retry.ts';
import type { paths } from './schema.generated.ts';
import { keyedPaths } from './served.generated.ts';
import { anyOf } from './signals.ts';
import type { Timing } from './timing.ts';
import type { Tokens } from './tokens.ts';

/** Sends authenticated requests, and retries them if that is safe. */
export interface Transport {
  /**
   * All operations of the service, with types. Rejects with a {@link ProblemError} if the request is refused,
   * and with a {@link NoAnswerError} if there is no response.
   */
  readonly http: Client<paths>;
  /**
   * Returns a response whose body may take any time.
   * @throws ProblemError, NoAnswerError
   */
  stream(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
}

export interface TransportOptions {
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly tokens: Tokens;
  readonly fetch: Fetch;
  readonly timing: Timing;
}

const idempotencyKey = 'Idempotency-Key';
/** POST operations that only read. */
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

  /** A token may be revoked before it expires. Then the request is sent once more with a new token. */
  async function authorized(
    request: Request,
    send: (token: string | undefined) => Promise<Response>,
  ): Promise<Response> {
    // Signing in happens before there is an access token, and signing out sends the token to revoke.
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
        await withRetries(() => attempt(request, token, bounded()), {
          ...{ method, url: request.url },
          ...{ timing, signal, repeatable },
        }),
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
      const response = await authorized(
        request,
        async (token) =>
          await attempt(request, token, signal).catch((error: unknown) => {
            if (signal.aborted) throw error;
            throw new NoAnswerError({ method: request.method, url: request.url, tries: 1 }, error);
          }),
      );
      if (response.ok) return response;
      throw await problemOf(response);
    },
  };
}

/**
 * The data of a response: `await answer(ledger.http.GET('/v1/plugins', …))`. A refusal already rejects the request
 * itself.
 *
 * @throws ProblemError
 */
export async function answer<Data>(
  asked: Promise<{ data?: Data; response: Response }>,
): Promise<Exclude<Data, undefined>> {
  const { data } = await asked;
  // An operation without data has the type `never` here.
  return data as Exclude<Data, undefined>;
}
