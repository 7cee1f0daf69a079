import { Agent, type Dispatcher } from 'undici';
import type { OutboundPolicy } from '../contract/definition.ts';
import { type AnswerLimits, readAnswer } from './answer.ts';
import { type AnswerBudget, answerBudget } from './budget.ts';
import { type ConnectorOptions, guardedConnector } from './connector.ts';
import { ExchangeError } from './exchange-error.ts';
import { isNotOpened, OutboundError } from './policy.ts';
import { retryAfterMsOf } from './rate-limit.ts';
import { tlsFault } from './tls-fault.ts';

/** Settings for the connections and requests of a client. */
export interface OutboundClientOptions extends Omit<ConnectorOptions, 'timeout'> {
  /** Time limit in milliseconds, for opening a connection, and for a whole request with its answer. */
  timeoutMs: number;
  /** Maximum number of connections to one origin. Default: one per concurrent request. */
  connections?: number;
  /** Idle time in milliseconds after which a connection is closed. */
  keepAliveMs?: number;
  /** Memory budget. Default: the process's budget. Set only by tests. */
  budget?: AnswerBudget;
}

/** A request to a server that may be hostile, and the limits of its answer. */
export interface OutboundRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal | undefined;
  /** Limits of the answer's content. `null`: the content is not read, and is empty. */
  limits: AnswerLimits | null;
}

/** The answer, with any HTTP status. A redirect is also returned as an answer, not followed. */
export interface OutboundAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  content: Buffer;
  /** The delay that `Retry-After` requests, up to the maximum. */
  retryAfterMs: number | undefined;
}

/** Maximum number of interim answers (1xx) per request: servers send one or two. */
const mostInterim = 8;
/**
 * Limits, in bytes and milliseconds, for receiving content that the caller does not want. Receiving it keeps
 * the connection usable for other requests.
 */
const discarded = { limit: 16_384, timeoutMs: 1_000 };
const noContent = Buffer.alloc(0);

/**
 * The HTTP client for all outgoing requests of this server. Users enter the addresses, so each answer may
 * come from an attacker. These limits apply to all requests:
 * - Addresses: `guardedConnector` checks the destination of each connection. No redirects, any port, HTTP/1.1 only.
 * - TLS: `outboundSecureContext` disables the algorithms that make a handshake expensive. `TlsGate` refuses huge keys
 *   before they are verified, and bounds messages without content.
 * - Time: one limit from the start of the request to the end of the answer.
 * - Encodings: none are requested or decoded. An error status is returned without its encoded content; otherwise encoded
 *   content is an error.
 * - Bytes, values and chunks: `readAnswer`, with the limits of the request. Headers: 16 KiB (Node's default). Interim
 *   answers: 8.
 * - Memory: an answer beyond 64 KiB reserves its part of `answerBudget` and holds it until the caller has used
 *   the content.
 *
 * The policy names the tenant for the budget. If it names none, each origin is treated as a tenant.
 */
export class OutboundClient {
  readonly #agent: Agent;
  readonly #timeoutMs: number;
  readonly #tenant: string | undefined;
  readonly #budget: AnswerBudget;

  readonly #sendsCertificate: boolean;
  constructor(policy: OutboundPolicy | undefined, options: OutboundClientOptions) {
    this.#sendsCertificate = options.tls?.cert !== undefined;
    const { timeoutMs, connections, keepAliveMs, budget = answerBudget, ...connect } = options;
    this.#agent = new Agent({
      connect: guardedConnector(policy, { ...connect, timeout: timeoutMs }),
      allowH2: false,
      // Disabled, because the time limit of the whole exchange includes both.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(connections === undefined ? {} : { connections }),
      ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs }),
    });
    this.#timeoutMs = timeoutMs;
    this.#tenant = policy?.tenant;
    this.#budget = budget;
  }

  /**
   * Sends a request and passes its answer to `use`. Returns the result of `use`.
   * @throws ExchangeError, and whatever `use` throws
   */
  async exchange<Result>(
    request: OutboundRequest,
    use: (answer: OutboundAnswer) => Result | Promise<Result>,
  ): Promise<Result> {
    const end = new AbortController();
    const tenant = this.#tenant ?? request.url.origin;
    const lease = this.#budget.open(tenant, (error) => {
      end.abort(error);
      lease.onRelease?.();
    });
    try {
      const answer = await this.#receive(request, end, (body, limits) => readAnswer(body, limits, lease));
      return await use(answer);
    } finally {
      lease.release();
    }
  }

  async #receive(
    { url, method, headers, body, signal, limits }: OutboundRequest,
    end: AbortController,
    read: (body: Dispatcher.ResponseData['body'], limits: AnswerLimits) => Promise<Buffer>,
  ): Promise<OutboundAnswer> {
    const late = () => new ExchangeError('timeout', `did not answer within ${this.#timeoutMs} ms`);
    const timer = setTimeout(() => end.abort(late()), this.#timeoutMs);
    const onAbort = () => end.abort(new ExchangeError('aborted', 'was canceled by the caller'));
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted === true) onAbort();
    let interim = 0;
    try {
      const answer = await this.#agent.request({
        ...{ origin: url.origin, path: url.pathname + url.search, method, signal: end.signal },
        headers: { ...headers, 'accept-encoding': 'identity' },
        ...(body === undefined ? {} : { body }),
        onInfo() {
          interim += 1;
          if (interim > mostInterim) {
            end.abort(
              new ExchangeError('too-long', `answered with more than ${mostInterim} interim responses`),
            );
          }
        },
      });
      const encoding = encodingOf(answer);
      const isRead = limits !== null && encoding === undefined;
      if (!isRead) discard(answer.body);
      if (limits !== null && encoding !== undefined && answer.statusCode < 300) throw encoded(encoding);
      return {
        status: answer.statusCode,
        headers: answer.headers,
        content: isRead ? await read(answer.body, limits) : noContent,
        retryAfterMs: retryAfterMsOf(answer.headers),
      };
    } catch (error) {
      throw failureOf(end.signal.aborted ? end.signal.reason : error, url, this.#sendsCertificate);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Aborts requests in progress. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Returns the encoding of an answer's content (RFC 9110, 8.4), or undefined if it has none. */
function encodingOf({ headers }: Dispatcher.ResponseData): string | undefined {
  const encoding = [headers['content-encoding'] ?? []].flat().join(', ');
  return ['', 'identity'].includes(encoding.toLowerCase()) ? undefined : encoding;
}

/** Form of the encodings that errors quote. The other side chooses the text, so any other form is not quoted. */
const shortToken = /^[\w-]{1,20}$/;

function encoded(encoding: string): ExchangeError {
  const what = shortToken.test(encoding) ? `content encoded as ${encoding}` : 'encoded content';
  const detail = `answered with ${what}, which was not requested; disable compression on the other side`;
  return new ExchangeError('encoded', detail);
}

/** Discards the content of an answer. The caller needs only the status, so errors are ignored. */
function discard(body: Dispatcher.ResponseData['body']): void {
  const { limit, timeoutMs } = discarded;
  body.dump({ limit, signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

const closedCodes: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** @param sendsCertificate whether this side has a client certificate */
function failureOf(error: unknown, url: URL, sendsCertificate: boolean): ExchangeError {
  if (error instanceof ExchangeError) return error;
  if (isNotOpened(error)) {
    const { message } = new OutboundError(url.hostname);
    return new ExchangeError('not-opened', `cannot be used: ${message.replace(/\.$/, '')}`, { cause: error });
  }
  // Only the code is shown, because a message may quote the address.
  const code = codeOf(error);
  const port = url.port === '' ? defaultPorts[url.protocol] : url.port;
  const fault = tlsFault(code);
  if (fault !== undefined)
    return new ExchangeError('unreachable', `cannot be used on port ${port}: ${fault} (${code})`, {
      cause: error,
    });
  const why = code === undefined ? '' : ` (${code})`;
  // In TLS 1.3, a server refuses a client after the handshake. Many servers then close the connection without
  // an alert.
  const isClosed = url.protocol === 'https:' && code !== undefined && closedCodes.has(code);
  const sent = sendsCertificate ? 'it may not accept the one that was sent' : 'none was sent';
  const hint = isClosed ? `: it closed the connection; if it requires a client certificate, ${sent}` : '';
  return new ExchangeError('unreachable', `cannot be reached on port ${port}${why}${hint}`, { cause: error });
}

/** Returns the most specific code: that of the error's cause if it has one, otherwise that of the error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const below = codeOf(error.cause);
  if (below !== undefined) return below;
  const code = 'code' in error ? String(error.code) : '';
  // Some codes of OpenSSL contain a slash: ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE.
  return /^[A-Z0-9_/]{1,64}$/.test(code) ? code : undefined;
}
