import type { LedgerNode, OutboundPolicy } from '@ledger-ops/adapter';
import {
  AnswerError,
  guardedConnector,
  isNotOpened,
  NodeError,
  nodeAnswers,
  OutboundError,
  readAnswer,
  readNodeAddress,
} from '@ledger-ops/outbound';
import { Agent, type Dispatcher, Pool } from 'undici';
import type { EthereumProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';

/** An answer was given up for its length: fewer calls at once get a shorter one. */
export class LongAnswer extends NodeError {}

/** One node's address, taken apart: credentials stand in a header, not in an address that may be shown. */
export interface Endpoint {
  nodeId: string;
  /** Authorization header, where the address had credentials. */
  headers: Record<string, string>;
  /** Set where the address is ws or wss: heads are followed there, over this dispatcher. */
  webSocket: { url: URL; dispatcher: Dispatcher } | undefined;
  /**
   * Posts a JSON text and reads the answer.
   * @throws NodeError
   */
  post(body: string, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

/** Heads are short; what is longer ends the connection before it is read. */
const webSocket = { maxPayloadSize: 65_536 };
/** By which a node with a web socket is called. */
const webProtocols: Readonly<Record<string, string>> = {
  'ws:': 'http:',
  'wss:': 'https:',
};

/**
 * Opens an endpoint; connects when first used.
 * @throws AdapterError `invalid-argument` when the address is not http(s) or ws(s), or would show credentials to a network.
 */
export function openEndpoint(
  node: LedgerNode,
  { rpcTimeout: timeout, allowUnencrypted }: Pick<EthereumProperties, 'rpcTimeout' | 'allowUnencrypted'>,
  outbound: OutboundPolicy | undefined,
  { keepAlive }: Pick<Timing['nodes'], 'keepAlive'>,
): Endpoint {
  const { url, headers } = readNodeAddress(node, { allowUnencrypted, webSockets: true });
  const protocol = webProtocols[url.protocol] ?? url.protocol;
  const connect = outbound === undefined ? { timeout } : guardedConnector(outbound, { timeout });
  const subscription =
    url.protocol === protocol
      ? undefined
      : { url: new URL(url.href), dispatcher: new Agent({ connect, webSocket }) };
  const { nodeId } = node;
  const { hostname } = url;
  const path = url.pathname + url.search;
  const pool = new Pool(`${protocol}//${url.host}`, {
    connections: 16,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect,
    keepAliveTimeout: keepAlive,
  });

  return {
    nodeId,
    headers,
    webSocket: subscription,
    async post(body, signal) {
      const own = new AbortController();
      const timer = setTimeout(() => own.abort(), timeout);
      const onAbort = () => own.abort();
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) own.abort();
      let text: string;
      try {
        const answer = await pool.request({
          path,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
          signal: own.signal,
        });
        text = await readAnswer(answer.body, nodeAnswers);
        if (answer.statusCode !== 200) {
          // Some nodes answer a JSON-RPC error with another status.
          const problem = parseAnswer(text);
          if (typeof problem === 'object' && problem !== null && 'jsonrpc' in problem) return problem;
          throw new NodeError(
            'unavailable',
            `Node ${nodeId} answered with HTTP status ${answer.statusCode}.`,
          );
        }
      } catch (error) {
        throw failureOf(error, own.signal.aborted && !signal.aborted);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
      const parsed = parseAnswer(text);
      if (parsed === undefined) {
        throw new NodeError('unavailable', `Node ${nodeId} answered with something that is not JSON.`);
      }
      return parsed;
    },
    async close() {
      await Promise.all([pool.destroy(), subscription?.dispatcher.destroy()]);
    },
  };

  function failureOf(error: unknown, late: boolean): NodeError {
    if (error instanceof NodeError) return error;
    if (error instanceof AnswerError)
      return new LongAnswer('unavailable', `Node ${nodeId} ${error.message}.`);
    if (late) return new NodeError('timeout', `Node ${nodeId} did not answer within ${timeout} ms.`);
    if (isNotOpened(error)) {
      return new NodeError(
        'not-opened',
        `Node ${nodeId} cannot be used: ${new OutboundError(hostname).message}`,
      );
    }
    // Only the code: a message may quote the address.
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return new NodeError('unavailable', `Node ${nodeId} cannot be reached${code}.`);
  }
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
