import type { Phase } from '@ledger-ops/adapter';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import {
  type ProblemMessage,
  type paths,
  problemMessage,
  protocolLimits,
} from '@ledger-ops/adapter/cloud-wallet';
import { plainWords, quoted } from '@ledger-ops/adapter/words';
import { decodeUtf8, JsonError, parseJsonInSlices, slices } from '@ledger-ops/glo-core';
import type { z } from 'zod';
import { fromMessage } from './problem.ts';
import { PluginRateLimit } from './rate-limit.ts';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends a request, passes its response to `use`, and returns the result of `use`. The host's implementation
 * checks the address of each connection, and reserves memory for the response until `use` has completed.
 */
export type Exchange = <Result>(
  url: string,
  init: RequestInit,
  use: (response: Response) => Promise<Result>,
) => Promise<Result>;

/** Creates an exchange that calls a `fetch`, without limits. */
export function exchangeWith(send: Fetch): Exchange {
  return async (url, init, use) => use(await send(url, init));
}

/** The plugin's address and the options of its client. */
export interface CloudWalletClientOptions {
  /** The plugin's URL. The protocol's paths are relative to it. */
  url: string;
  exchange: Exchange;
  /** Time limit of a call in milliseconds, including the transfer of its response. */
  timeoutMs: number;
  /** Sent with each request, for example an authorization. Never shown in errors. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Returns the W3C trace context of the current work. Each request sends it as `traceparent`. Default: none.
   */
  traceparent?: () => string | undefined;
  /** Name of the plugin in errors. Default: the host of its URL. */
  plugin?: string;
  /**
   * Called after each request: with null if the plugin answered (even if it refused the request), otherwise
   * with the failure. Not called if no request is sent, as during a rate limit. `startedAt`: when the call
   * began, by `performance.now()`.
   */
  completed?: (failure: AdapterError | null, startedAt: number) => void;
}

/** A call to a plugin, and the schema of its answer. */
export interface ClientCall<Answer> {
  method: 'GET' | 'POST';
  path: (typeof paths)[keyof typeof paths];
  query?: readonly (readonly [name: string, value: string])[];
  body?: unknown;
  /** Strings of the request body that are removed from the response, because they are secret. */
  secrets?: readonly string[];
  /** Phase of errors. */
  phase: Phase;
  answer: z.ZodType<Answer>;
}

/** Calls one plugin. */
export interface CloudWalletClient {
  /** Name of the plugin in errors. */
  readonly plugin: string;
  /**
   * @throws AdapterError `unavailable` or `timeout` if the plugin does not respond, `adapter-fault` if its
   * response violates the protocol, otherwise the plugin's rejection
   */
  call<Answer>(call: ClientCall<Answer>): Promise<Answer>;
}

/** Minimum length of a body that may still be in transit when the plugin refuses it and closes the connection. */
const longBody = 65_536;
const longTries = 4;

const problemType = /^application\/problem\+json\s*(;|$)/i;
const jsonType = /^application\/([a-z0-9.+-]*\+)?json\s*(;|$)/i;
/** Statuses that do not prove that the request was rejected, even if the body is a problem. */
const passing = new Set([401, 407, 408, 425, 429, 500, 502, 503, 504]);
/** Statuses that a working plugin returns if it does not execute the request now. */
const laterStatuses = new Set([425, 429, 503]);

/** Creates a client of one plugin. Does not open a connection. */
export function createCloudWalletClient(options: CloudWalletClientOptions): CloudWalletClient {
  const base = new URL(options.url);
  const root = `${base.origin}${base.pathname.replace(/\/+$/, '')}`;
  const plugin = options.plugin ?? base.host;
  const hidden = Object.values(options.headers ?? {}).map((value) => value.replace(/^Bearer /, ''));

  const rateLimit = new PluginRateLimit();
  /** Errors that are answers of the plugin. */
  const answers = new WeakSet<AdapterError>();

  const call = async <Answer>(one: ClientCall<Answer>): Promise<Answer> => {
    if (rateLimit.remainingMs > 0) {
      const retryAfterMs = Math.ceil(rateLimit.remainingMs);
      const detail = `The plugin ${plugin} rejected requests because of its rate limit. It is queried again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
      throw adapterError('unavailable', detail, { phase: one.phase, retryAfterMs });
    }
    const startedAt = performance.now();
    try {
      const answer = await exchange(one);
      options.completed?.(null, startedAt);
      return answer;
    } catch (error) {
      if (error instanceof AdapterError) options.completed?.(answers.has(error) ? null : error, startedAt);
      throw error;
    }
  };

  const exchange = async <Answer>(call: ClientCall<Answer>): Promise<Answer> => {
    const { phase, path } = call;
    const query = new URLSearchParams();
    for (const [name, value] of call.query ?? []) query.append(name, value);
    const search = query.size === 0 ? '' : `?${query}`;
    const signal = AbortSignal.timeout(options.timeoutMs);
    const fault = (what: string) =>
      adapterError('adapter-fault', `The plugin ${plugin} answered ${path} with ${what}.`, { phase });
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const traceparent = options.traceparent?.();
    const init: RequestInit = {
      method: call.method,
      redirect: 'error',
      signal,
      headers: {
        ...options.headers,
        accept: 'application/json, application/problem+json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
      ...(body === undefined ? {} : { body }),
    };
    const ask = () =>
      options.exchange(`${root}${path}${search}`, init, async (response) =>
        read(call, response, await readBounded(response, fault), fault),
      );
    try {
      return await askAgain(ask, (body?.length ?? 0) < longBody ? 1 : longTries, signal);
    } catch (cause) {
      if (cause instanceof AdapterError) throw cause;
      if (signal.aborted) {
        const detail = `The plugin ${plugin} did not answer ${path} within ${options.timeoutMs} ms.`;
        throw adapterError('timeout', detail, { phase });
      }
      // Only the host's own error is safe to show. An error of the global fetch may contain the URL with its
      // credentials.
      const why =
        cause instanceof Error && cause.name === 'ExchangeError' ? cause.message : 'cannot be reached';
      throw adapterError('unavailable', `The plugin ${plugin} ${why}.`, { phase, cause });
    }
  };

  async function read<Answer>(
    call: ClientCall<Answer>,
    response: Response,
    received: string,
    fault: (what: string) => AdapterError,
  ): Promise<Answer> {
    let text = received;
    for (const secret of [...(call.secrets ?? []), ...hidden]) {
      text = text.replaceAll(secret, '[secret]');
    }
    const type = response.headers.get('content-type') ?? '';
    const retryAfterMs = rateLimit.read(response);
    if (!response.ok) {
      const { failure, isAnswer } = await failureOf(
        plugin,
        call,
        response.status,
        problemType.test(type),
        text,
      );
      const isLimited = retryAfterMs !== undefined && failure.code === 'unavailable';
      const error = isLimited ? new AdapterError({ ...failure.problem, retryAfterMs }) : failure;
      if (isAnswer) answers.add(error);
      throw error;
    }
    if (!jsonType.test(type))
      throw fault(`content of type ${plainWords(type, 100) || 'none'}, expected JSON`);
    const json = await readJson(text, fault);
    const parsed = await slices.run(inOneStep(() => call.answer.safeParse(json)));
    if (parsed.success) return parsed.data;
    const places = parsed.error.issues
      .slice(0, 3)
      .map(({ path: at, message }) => `/${at.join('/')}: ${message}`);
    throw fault(`data that the protocol does not allow: ${places.join('; ')}`);
  }

  return { plugin, call };
}

/** Returns the error for a status, and whether the error is an answer of the plugin. */
async function failureOf(
  plugin: string,
  { phase, path }: ClientCall<unknown>,
  status: number,
  isProblem: boolean,
  text: string,
): Promise<{ failure: AdapterError; isAnswer: boolean }> {
  const said = isProblem ? await readProblem(text) : undefined;
  const isAnswer = said?.status === status && (!passing.has(status) || laterStatuses.has(status));
  return { failure: failureFrom(plugin, said, status, { phase, path }), isAnswer };
}

function failureFrom(
  plugin: string,
  said: ProblemMessage | undefined,
  status: number,
  { phase, path }: Pick<ClientCall<unknown>, 'phase' | 'path'>,
): AdapterError {
  if (status === 504) {
    return adapterError('timeout', `The plugin ${plugin} answered ${path} with status 504.`, { phase });
  }
  // A proxy or the plugin rejects a request of this size. An earlier request may still have been accepted.
  if (status === 413 && (said === undefined || said.status !== status)) {
    const detail = `The plugin ${plugin} does not accept requests of this size at ${path}: it answered with status 413.`;
    return adapterError('refused', detail, { phase, data: { status } });
  }
  // A response that is not from the plugin, such as a proxy's, does not reject the request.
  if (passing.has(status) || said === undefined || said.status !== status) {
    const more = said === undefined ? '.' : `, and says: ${quoted(said.detail, 500)}`;
    const detail = `The plugin ${plugin} answered ${path} with status ${status}${more}`;
    return adapterError('unavailable', detail, { phase });
  }
  return new AdapterError(fromMessage(plugin, said, phase));
}

/**
 * Sends a request again if the connection failed. A server may close the connection while the body is being
 * sent, and its answer may then be lost. Sending a request again is safe: the protocol executes it only once.
 */
async function askAgain<Answer>(
  ask: () => Promise<Answer>,
  tries: number,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (tries <= 1 || signal.aborted || error instanceof AdapterError) throw error;
    return await askAgain(ask, tries - 1, signal);
  }
}

/** Yields to other work, even in runtimes without `setImmediate`. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/**
 * Makes a step that cannot be interrupted a computation of `slices`: the next computation starts only in another turn of
 * the event loop. Checking an answer is such a step; compiling a description may take 35 ms.
 */
function* inOneStep<Result>(step: () => Result): Generator<void, Result> {
  yield;
  return step();
}

async function readJson(text: string, fault: (what: string) => AdapterError): Promise<unknown> {
  try {
    return await parseJsonInSlices(text, pause);
  } catch (error) {
    throw fault(error instanceof JsonError ? `JSON that cannot be read (${error.reason})` : 'no JSON');
  }
}

async function readProblem(text: string): Promise<ProblemMessage | undefined> {
  try {
    return problemMessage.safeParse(await parseJsonInSlices(text, pause)).data;
  } catch {
    return undefined;
  }
}

async function readBounded(response: Response, fault: (what: string) => AdapterError): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    // Leaving the loop cancels the stream.
    if (length > protocolLimits.answerBytes) throw fault(`more than ${protocolLimits.answerBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    let text = '';
    for (const piece of decodeUtf8(Buffer.concat(chunks), { fatal: true })) {
      if (text !== '') await pause();
      text += piece;
    }
    return text;
  } catch {
    throw fault('content that is not UTF-8');
  }
}
