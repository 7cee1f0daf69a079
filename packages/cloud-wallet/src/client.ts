import type { Phase } from '@ledger-ops/adapter';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import { type paths, problemMessage, protocolLimits } from '@ledger-ops/adapter/cloud-wallet';
import { plainWords, quoted } from '@ledger-ops/adapter/words';
import { JsonError, parseJsonInSlices } from '@ledger-ops/glo-core';
import type { z } from 'zod';
import { fromMessage } from './problem.ts';

/** `fetch`, as far as it is used: the host gives one that guards where it goes. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How a remote plugin is reached. */
export interface CloudWalletClientOptions {
  /** The plugin's URL; the paths of the protocol stand below it. */
  url: string;
  fetch: Fetch;
  /** Milliseconds that a call may take, from its start to the end of its answer. */
  timeoutMs: number;
  /** Sent with each request, e.g. an authorization. Never shown in errors. */
  headers?: Readonly<Record<string, string>>;
  /** W3C trace context of the work under way, asked with each request and sent as `traceparent`. Default: none. */
  traceparent?: () => string | undefined;
  /** The name by which errors call the plugin. Default: the host of its URL. */
  plugin?: string;
}

/** One call of the protocol. */
export interface ClientCall<Answer> {
  method: 'GET' | 'POST';
  path: (typeof paths)[keyof typeof paths];
  query?: readonly (readonly [name: string, value: string])[];
  body?: unknown;
  /** Text in the body that may not come back. */
  secrets?: readonly string[];
  /** For errors. */
  phase: Phase;
  answer: z.ZodType<Answer>;
}

/** Speaks the protocol with one plugin. */
export interface CloudWalletClient {
  /** The name by which errors call the plugin. */
  readonly plugin: string;
  /**
   * @throws AdapterError `unavailable` or `timeout` when there is no answer of the plugin, `adapter-fault` when
   * there is one that the protocol does not allow, else the refusal that the plugin gave.
   */
  call<Answer>(call: ClientCall<Answer>): Promise<Answer>;
}

/** Characters of a body that may still be on its way when the plugin refuses it and closes the connection. */
const longBody = 65_536;
const longTries = 4;

const problemType = /^application\/problem\+json\s*(;|$)/i;
const jsonType = /^application\/([a-z0-9.+-]*\+)?json\s*(;|$)/i;
/** Statuses that say nothing of the request, also when they come as a problem. */
const passing = new Set([401, 407, 408, 425, 429, 500, 502, 503, 504]);

/** A client of one plugin. Opens no connection by itself. */
export function createCloudWalletClient(options: CloudWalletClientOptions): CloudWalletClient {
  const base = new URL(options.url);
  const root = `${base.origin}${base.pathname.replace(/\/+$/, '')}`;
  const plugin = options.plugin ?? base.host;
  const hidden = Object.values(options.headers ?? {}).map((value) => value.replace(/^Bearer /, ''));

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
    const ask = async () => {
      const answer = await options.fetch(`${root}${path}${search}`, {
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
      });
      return { response: answer, text: await readBounded(answer, fault) };
    };
    let response: Response;
    let text: string;
    try {
      ({ response, text } = await askAgain(ask, (body?.length ?? 0) < longBody ? 1 : longTries, signal));
      for (const secret of [...(call.secrets ?? []), ...hidden]) {
        text = text.replaceAll(secret, '[secret]');
      }
    } catch (cause) {
      if (cause instanceof AdapterError) throw cause;
      if (signal.aborted) {
        const detail = `The plugin ${plugin} did not answer ${path} within ${options.timeoutMs} ms.`;
        throw adapterError('timeout', detail, { phase });
      }
      // An error of fetch may hold the URL and its credentials.
      throw adapterError('unavailable', `The plugin ${plugin} cannot be reached.`, { phase, cause });
    }
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok) throw await failureOf(call, response.status, problemType.test(type), text);
    if (!jsonType.test(type))
      throw fault(`content of type ${plainWords(type, 100) || 'none'}, expected JSON`);
    const parsed = call.answer.safeParse(await readJson(text, fault));
    if (parsed.success) return parsed.data;
    const places = parsed.error.issues
      .slice(0, 3)
      .map(({ path: at, message }) => `/${at.join('/')}: ${message}`);
    throw fault(`what the protocol does not allow: ${places.join('; ')}`);
  };

  async function failureOf(
    { phase, path }: ClientCall<unknown>,
    status: number,
    isProblem: boolean,
    text: string,
  ): Promise<AdapterError> {
    const said = isProblem ? await readProblem(text) : undefined;
    if (status === 504) {
      return adapterError('timeout', `The plugin ${plugin} answered ${path} with status 504.`, { phase });
    }
    // A proxy's says as much as the plugin's own: this request goes nowhere. Whether an earlier one did, it does not say.
    if (status === 413 && (said === undefined || said.status !== status)) {
      const detail = `The plugin ${plugin} takes no request at ${path} that is as large as this one: it answered status 413.`;
      return adapterError('refused', detail, { phase, data: { status } });
    }
    // A refusal that is not the plugin's own, such as a proxy's, decides nothing.
    if (passing.has(status) || said === undefined || said.status !== status) {
      const more = said === undefined ? '.' : `, and says: ${quoted(said.detail, 500)}`;
      const detail = `The plugin ${plugin} answered ${path} with status ${status}${more}`;
      return adapterError('unavailable', detail, { phase });
    }
    return new AdapterError(fromMessage(plugin, said, phase));
  }

  return { plugin, call: exchange };
}

/**
 * Asks again when the connection failed: who closes it while a body is sent may have answered, and the answer be lost with
 * the connection. The protocol executes a request once, however often it is sent.
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

/** Lets everybody else have a turn, also where there is no `setImmediate`. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

async function readJson(text: string, fault: (what: string) => AdapterError): Promise<unknown> {
  try {
    return await parseJsonInSlices(text, pause);
  } catch (error) {
    throw fault(error instanceof JsonError ? `JSON that cannot be read (${error.reason})` : 'no JSON');
  }
}

async function readProblem(text: string): Promise<z.infer<typeof problemMessage> | undefined> {
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
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw fault('text that is no UTF-8');
  }
}
