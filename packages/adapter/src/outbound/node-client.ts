import type { OutboundPolicy } from '../contract/definition.ts';
import { type AnswerLimits, nodeAnswers } from './answer.ts';
import { type OutboundAnswer, OutboundClient } from './client.ts';
import { ExchangeError } from './exchange-error.ts';
import type { NodeAddress } from './node-address.ts';
import { NodeError, StatusError } from './node-error.ts';
import { RateLimit, rateLimitRefusal } from './rate-limit.ts';
import { redirectHint } from './redirect-hint.ts';

/** A node's answer was aborted because it is too long. A request with fewer calls gets a shorter answer. */
export class LongAnswer extends NodeError {}

/** A node closed the connection before its answer was complete. */
export class ConnectionClosed extends NodeError {}

/** Codes of undici and of sockets for connections that the other side closed. */
const closedCodes: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/** Options for calling a node. */
export interface NodeClientOptions extends NodeAddress {
  /** Name used in errors. */
  nodeId: string;
  policy: OutboundPolicy | undefined;
  /** Milliseconds for a connection, and for a request with its answer. */
  timeoutMs: number;
  /** Maximum number of connections. Default: one per concurrent request. */
  connections?: number;
  /** Idle time in milliseconds after which a connection is closed. */
  keepAliveMs?: number;
  /** The clock: milliseconds since the epoch. */
  now: () => number;
  /** Limits of answers. Default: `nodeAnswers`. */
  limits?: AnswerLimits;
  /** Parses an answer's JSON, in one step or in slices. Throws if it is not JSON. */
  parse: (content: Buffer) => unknown;
}

/** Maximum number of bytes kept of an answer that is not JSON-RPC. */
const longestWords = 8_000;

/**
 * Calls one node by JSON-RPC over HTTP. If the node reports a rate limit (by its status or inside an answer),
 * no requests are sent to it for the requested time, up to a maximum. Calls then fail immediately, so that
 * other nodes are used.
 */
export class NodeClient {
  readonly #options: NodeClientOptions;
  readonly #client: OutboundClient;
  readonly #rateLimit: RateLimit;

  constructor(options: NodeClientOptions) {
    const { policy, now, timeoutMs, connections, keepAliveMs } = options;
    this.#options = options;
    this.#rateLimit = new RateLimit(now);
    this.#client = new OutboundClient(policy, {
      timeoutMs,
      ...(connections === undefined ? {} : { connections }),
      ...(keepAliveMs === undefined ? {} : { keepAliveMs }),
    });
  }

  /**
   * Posts a JSON string and parses the answer. @throws NodeError
   */
  async post(body: string, signal: AbortSignal): Promise<unknown> {
    const { nodeId, url, headers, limits = nodeAnswers } = this.#options;
    const { remainingMs } = this.#rateLimit;
    if (remainingMs > 0) {
      const detail = `Node ${nodeId} rejected requests because of its rate limit. It is queried again in ${seconds(remainingMs)}.`;
      throw new NodeError('unavailable', detail, { retryAfterMs: remainingMs });
    }
    try {
      return await this.#client.exchange(
        {
          url,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          ...{ body, signal, limits },
        },
        (answer) => this.#read(answer),
      );
    } catch (error) {
      throw error instanceof ExchangeError ? nodeErrorOf(nodeId, error) : error;
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #read({ status, content, retryAfterMs }: OutboundAnswer): Promise<unknown> {
    const parsed = await this.#parse(content);
    const refusal = rateLimitRefusal(parsed ?? content.toString('utf8', 0, longestWords));
    const answered = status === 200 ? '' : `HTTP status ${status}${redirectHint(status)}`;
    const isLimited = isRateLimitStatus(status, retryAfterMs, content);
    if (refusal !== undefined || isLimited) {
      throw this.#refused(answered || 'a rate limit', refusal?.retryAfterMs ?? retryAfterMs);
    }
    this.#rateLimit.answered();
    if (status === 200 && parsed !== undefined) return parsed;
    // Some nodes send a JSON-RPC error with a status other than 200.
    if (typeof parsed === 'object' && parsed !== null && 'jsonrpc' in parsed) return parsed;
    const detail = `Node ${this.#options.nodeId} answered with ${answered || 'content that is not JSON'}.`;
    throw new StatusError(detail, status, content.toString('utf8', 0, longestWords));
  }

  async #parse(content: Buffer): Promise<unknown> {
    try {
      return await this.#options.parse(content);
    } catch {
      return undefined;
    }
  }

  #refused(answered: string, demandedMs: number | undefined): NodeError {
    const retryAfterMs = this.#rateLimit.refused(demandedMs);
    const detail = `Node ${this.#options.nodeId} answered with ${answered}. It is queried again in ${seconds(retryAfterMs)}.`;
    return new NodeError('unavailable', detail, { retryAfterMs });
  }
}

function nodeErrorOf(nodeId: string, { failure, message, cause }: ExchangeError): NodeError {
  const detail = `Node ${nodeId} ${message}.`;
  switch (failure) {
    case 'too-long':
      return new LongAnswer('unavailable', detail);
    case 'timeout':
    case 'not-opened':
      return new NodeError(failure, detail);
    default: {
      const isClosed = cause instanceof Error && 'code' in cause && closedCodes.includes(cause.code);
      return new (isClosed ? ConnectionClosed : NodeError)('unavailable', detail);
    }
  }
}

/**
 * Some providers answer 429 to requests with several calls. Smaller requests succeed; a delay does not
 * help.
 */
function isRateLimitStatus(status: number, retryAfterMs: number | undefined, content: Buffer): boolean {
  if (retryAfterMs !== undefined) return status === 429 || status === 503;
  return status === 429 && !/\bbatch/i.test(content.toString('utf8', 0, longestWords));
}

function seconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1_000)} s`;
}
