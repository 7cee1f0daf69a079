import createFetchClient, { type Client } from 'openapi-fetch';
import { randomId } from './assertion.ts';
import type { Fetch } from './fetch.ts';
import { NoAnswerError, OutcomeUnknownError } from './no-answer.ts';
import { problemOf, unreadableProblem } from './problem.ts';
import { isEventStream, RetriedRequest } from './retry.ts';
import type { paths } from './schema.generated.ts';
import { answerShapes, keyedPaths } from './served.generated.ts';
import { raced } from './signals.ts';
import type { Timing } from './timing.ts';
import type { Tokens } from './tokens.ts';

/** Sends authenticated requests, and retries them if that is safe. */
export interface Transport {
  readonly baseUrl: string;
  /**
   * All operations of the service, with types. Rejects with a {@link ProblemError} if the request is refused,
   * with an {@link OutcomeUnknownError} if it may have been executed without a response, and with a
   * {@link NoAnswerError} if there is no response and nothing was changed.
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

const idempotencyKeyHeader = 'Idempotency-Key';
/** POST operations that only read. */
const reading: ReadonlySet<string> = new Set([
  '/v1/ledger-ops/emulate',
  '/v1/ledger-ops/search/actions',
  '/v1/ledger-ops/search/intents',
] satisfies (keyof paths)[]);

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, applicationToken, tokens, timing } = options;
  /** Templates of the paths of requests, which openapi-fetch does not pass to its fetch. */
  const templates = new WeakMap<Request, string>();

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

  /**
   * A token may be revoked before it expires. Then the request is sent once more with a new token. Waiting for a token
   * ends with the signal, while the token request continues for the other calls.
   */
  async function authorized(
    request: Request,
    signal: AbortSignal,
    send: (token: string | undefined) => Promise<Response>,
  ): Promise<Response> {
    // Signing in happens before there is an access token, and signing out sends the token to revoke.
    if (request.url.startsWith(`${baseUrl}/v1/auth/`)) return await send(undefined);
    const token = await raced(tokens.get(), signal);
    const response = await send(token);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    tokens.drop(token);
    return await send(await raced(tokens.get(), signal));
  }

  const send = async (request: Request) => {
    const { method, headers, signal } = request;
    const path = request.url.slice(baseUrl.length);
    const idempotencyKey = headers.get(idempotencyKeyHeader) ?? undefined;
    const onlyReads = method === 'GET' || method === 'HEAD' || reading.has(path);
    const repeatable = method !== 'POST' || idempotencyKey !== undefined || onlyReads;
    const retried = new RetriedRequest({ method, url: request.url, timing, signal, repeatable });
    // True once this request has a successful response. An unreadable response to a token request does not count.
    let isAnswered = false;
    try {
      const response = await authorized(
        request,
        signal,
        async (token) => await retried.send((bound) => attempt(request, token, bound)),
      );
      if (onlyReads) return response;
      if (response.ok) {
        isAnswered = true;
        const shape = answerShapes.get(`${method} ${templates.get(request)}`);
        if (shape !== undefined || !(await isEmpty(response))) await checkAnswer(response, shape);
        return response;
      }
      if (!retried.mayHaveExecuted) return response;
      const problem = await problemOf(response);
      // The response of an earlier attempt was lost, and the record is already deleted.
      if (method === 'DELETE' && problem.is('not-found')) return new Response(null, { status: 204 });
      throw problem;
    } catch (error) {
      if (onlyReads || !(retried.mayHaveExecuted || isAnswered)) throw error;
      const { tries } = retried;
      throw new OutcomeUnknownError({ method, url: request.url, tries, idempotencyKey }, error);
    }
  };

  const http = createFetchClient<paths>({ baseUrl, fetch: send });
  http.use({
    onRequest({ request, schemaPath }) {
      const isKeyed = request.method === 'POST' && keyedPaths.has(schemaPath);
      if (isKeyed && !request.headers.has(idempotencyKeyHeader))
        request.headers.set(idempotencyKeyHeader, randomId());
      templates.set(request, schemaPath);
      return request;
    },
    async onResponse({ request, schemaPath, response, options: { parseAs } }) {
      if (!response.ok) throw await problemOf(response);
      // `send` has already checked the responses of requests that change something.
      const onlyReads = request.method === 'GET' || reading.has(schemaPath);
      if (!onlyReads || parseAs !== 'json') return;
      const shape = answerShapes.get(`${request.method} ${schemaPath}`);
      // For a read, it is enough to check that the response is a list, an object or JSON.
      await checkAnswer(response, shape === undefined || shape === '[]' ? shape : '');
    },
  });

  return {
    ...{ baseUrl, http },
    async stream(path, headers, signal) {
      const request = new Request(`${baseUrl}${path}`, {
        headers: { ...headers, Accept: 'text/event-stream' },
        redirect: 'manual',
      });
      const response = await authorized(
        request,
        signal,
        async (token) =>
          await raced(attempt(request, token, signal), signal).catch((error: unknown) => {
            if (signal.aborted) throw error;
            throw new NoAnswerError({ method: request.method, url: request.url, tries: 1 }, error);
          }),
      );
      if (!response.ok) throw await problemOf(response);
      if (isEventStream(response)) return response;
      throw unreadableProblem(response, await beginningOf(response), 'a stream of events');
    },
  };
}

/**
 * Checks a successful response, so that the page of a proxy or the response of another service is not taken for a result.
 *
 * @param shape `[]` for a list, or a member that the object always has; undefined: any JSON
 * @throws ProblemError
 */
async function checkAnswer(response: Response, shape: string | undefined): Promise<void> {
  const expected = expectedOf(shape);
  const value = await readJson(response, expected);
  if (shape === undefined) return;
  const isList = Array.isArray(value);
  const isObject = typeof value === 'object' && value !== null && !isList;
  if (shape === '[]' ? isList : isObject && (shape === '' || Object.hasOwn(value, shape))) return;
  // JSON may be a part of the service's data, such as a token, so it is not quoted.
  throw unreadableProblem(response, '', expected);
}

function expectedOf(shape: string | undefined): string {
  if (shape === undefined) return 'JSON';
  if (shape === '[]') return 'a list';
  if (shape === 'actionId') return 'an action';
  return shape === '' ? 'an object' : `an object with ${shape}`;
}

async function isEmpty(response: Response): Promise<boolean> {
  return response.status === 204 || (await response.clone().text()) === '';
}

/** @throws ProblemError if the response is not from the service, for example the page of a proxy */
async function readJson(response: Response, expected: string): Promise<unknown> {
  const text = await response.clone().text();
  try {
    return JSON.parse(text);
  } catch {
    // The SyntaxError is not thrown, because it quotes the body.
    throw unreadableProblem(response, text, expected);
  }
}

/** Returns the first part of a body that may never end. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const part = await reader?.read().catch(() => undefined);
  await reader?.cancel().catch(() => {});
  return new TextDecoder().decode(part?.value);
}

/**
 * Returns the data of a response: `await answer(ledger.http.GET('/v1/plugins', …))`. If the service refuses
 * the request, the request's promise already rejects.
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
