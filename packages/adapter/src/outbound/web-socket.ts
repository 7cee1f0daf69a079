import type { Socket } from 'node:net';
import { Agent, type buildConnector, WebSocket } from 'undici';
import type { OutboundPolicy } from '../contract/definition.ts';
import { type ConnectorOptions, guardedConnector } from './connector.ts';

/** Limits of what a web socket may receive, in bytes. */
export interface WebSocketLimits {
  /** Maximum size of one message. */
  readonly message: number;
  /** Limits for all received bytes, including frames and pings: a burst, and a long-term rate per second. */
  readonly burst: number;
  readonly perSecond: number;
}

/** A web socket received more than its limit. */
class PaceError extends Error {
  override readonly name = 'PaceError';
  readonly code = 'EPACE';
}

/**
 * Opens guarded web sockets to one server. Expects few and short messages; a flood of messages, fragments or pings
 * closes the connection.
 */
export class GuardedWebSockets {
  readonly #agent: Agent;

  constructor(
    policy: OutboundPolicy | undefined,
    { limits, ...options }: ConnectorOptions & { limits: WebSocketLimits },
  ) {
    this.#agent = new Agent({
      connect: pacedConnector(guardedConnector(policy, options), limits),
      allowH2: false,
      webSocket: { maxPayloadSize: limits.message },
    });
  }

  open(url: URL, headers: Readonly<Record<string, string>>): WebSocket {
    // Like `fetch`, WebSocket refuses the ports of other protocols. So the URL has no port, and the request
    // is sent to the real origin.
    const portless = new URL(url);
    portless.port = '';
    const origin = url.origin.replace(/^ws/, 'http');
    const dispatcher = this.#agent.compose(
      (dispatch) => (options, handler) => dispatch({ ...options, origin }, handler),
    );
    return new WebSocket(portless, { headers, dispatcher });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function pacedConnector(
  connect: buildConnector.connector,
  limits: WebSocketLimits,
): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      pace(socket, limits);
      callback(null, socket);
    });
}

/** Closes a socket that exceeds its rate, before more bytes are read. */
function pace(socket: Socket, { burst, perSecond }: WebSocketLimits): void {
  let left = burst;
  let at = performance.now();
  const push = socket.push.bind(socket);
  socket.push = (chunk: Uint8Array | null, encoding?: BufferEncoding) => {
    const now = performance.now();
    left = Math.min(burst, left + ((now - at) * perSecond) / 1_000) - (chunk?.length ?? 0);
    at = now;
    if (left >= 0) return push(chunk, encoding);
    socket.destroy(new PaceError('A web socket received more data than allowed.'));
    return false;
  };
}
