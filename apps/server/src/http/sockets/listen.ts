import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Problem } from '@ledger-ops/base';
import { bareHeaders, headLimits, headTooLarge, problemOfParser, writeProblem } from './bare-problem.ts';
import { endLingering, type LingerBounds, lingerBounds } from './linger.ts';
import { listenOn } from './listen-on.ts';

/** A function that answers requests, such as an application's `fetch`. */
export type Fetch = Parameters<typeof getRequestListener>[0];

/** A listening HTTP server. */
export interface Listener {
  readonly port: number;
  /** From now on answers with `fetch`; before, everything is 503. */
  serve(fetch: Fetch): void;
  /** Takes no new connections, and waits for the requests under way, at most `patience` milliseconds. */
  close(patience: number): Promise<void>;
}

/** Longest time for a whole request, for its headers, and between two requests of a connection. */
const timeouts = { requestTimeout: 120_000, headersTimeout: 30_000, keepAliveTimeout: 65_000 };

/** Milliseconds after which a connection on which nothing moves is ended: its client does not read, or is gone. */
const idleTimeout = 180_000;

/** Bounds that tests set lower. */
export interface ListenOptions {
  /** Milliseconds; see {@link idleTimeout}. */
  readonly idle?: number;
  readonly linger?: LingerBounds;
}

/** The last request on a connection, and its answer. */
interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/**
 * Listens on an address.
 *
 * @throws ConfigError when the port is taken or the address is not one of this machine
 */
export async function listen(host: string, port: number, options: ListenOptions = {}): Promise<Listener> {
  const { idle = idleTimeout, linger = lingerBounds } = options;
  let fetch: Fetch = () => refuse(new Problem('unavailable', 'The service is starting.', { retryAfter: 1 }));
  let closing = false;
  const server = createServer({ ...timeouts, maxHeaderSize: headLimits.bytes, requireHostHeader: false });
  server.timeout = idle;
  // Beyond its own maximum Node drops headers without a word; theirs are counted below.
  server.maxHeadersCount = 0;
  const exchanges = new WeakMap<Socket, Exchange>();
  /** Open connections that nothing was asked on yet, as browsers and pools keep them: to Node they are not idle. */
  const unasked = new Set<Socket>();
  server.on('connection', (socket) => {
    unasked.add(socket);
    socket.once('close', () => unasked.delete(socket));
  });
  endConnectionsWell(server, exchanges, linger);
  const listener = getRequestListener((request, bindings) => fetch(request, bindings), {
    // Node takes the rest of a body where it is short; else the connection ends (endConnectionsWell).
    autoCleanupIncoming: false,
    // No URL can be made of the request, as with a Host header that is none.
    errorHandler: () =>
      refuse(new Problem('invalid-request', 'The request line or the Host header is malformed.')),
  });
  server.on('request', (incoming, outgoing) => {
    outgoing.once('close', () => {
      if (closing) server.closeIdleConnections();
    });
    exchanges.set(incoming.socket, { incoming, outgoing });
    unasked.delete(incoming.socket);
    const fault = faultOfHead(incoming);
    if (fault === undefined) void listener(incoming, outgoing);
    else answerWith(outgoing, fault);
  });
  const taken = await listenOn(server, { host: 'HOST', port: 'PORT' }, { host, port });
  return {
    port: taken,
    serve(next) {
      fetch = next;
    },
    async close(patience) {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      for (const socket of unasked) if (socket.bytesRead === 0) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), patience);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Answers what the parser refuses, and lets no answer be lost because its sender was still writing. */
function endConnectionsWell(
  server: Server,
  exchanges: WeakMap<Socket, Exchange>,
  bounds: LingerBounds,
): void {
  const ending = new WeakSet<Socket>();
  const end = (socket: Socket) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    endLingering(socket, bounds);
  };
  server.on('connection', (socket) => {
    // How Node ends a connection after an answer with `Connection: close`.
    socket.destroySoon = () => {
      if (exchanges.get(socket)?.incoming.complete === false && !socket.readableEnded) end(socket);
      else if (!ending.has(socket)) Socket.prototype.destroySoon.call(socket);
    };
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // Node hands over what it took from `connection`.
    const socket = stream as Socket;
    if (ending.has(socket)) return;
    const { incoming, outgoing } = exchanges.get(socket) ?? {};
    if (!socket.writable || error.code === 'ECONNRESET' || outgoing?.headersSent === true) {
      if (outgoing === undefined || outgoing.writableFinished || !socket.writable) socket.destroy();
      else outgoing.once('finish', () => end(socket));
      return;
    }
    // Taken for the answer to a request that is still carried out, a refusal of the next one would be a lie.
    if (outgoing?.writableFinished === false && incoming?.complete === true) {
      outgoing.once('finish', () => end(socket));
      return;
    }
    writeProblem(socket, problemOfParser(error.code));
    end(socket);
  });
  server.on('connect', (_request, stream) => {
    // As above.
    const socket = stream as Socket;
    socket.on('error', () => socket.destroy());
    const problem = new Problem('method-not-allowed', `This service is no proxy: it takes ${everyMethod}.`);
    writeProblem(socket, problem, { Allow: everyMethod });
    end(socket);
  });
  server.on('checkExpectation', (_incoming, outgoing) => {
    answerWith(outgoing, new Problem('expectation-failed', 'Of all expectations only 100-continue is met.'));
  });
}

const everyMethod = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

/** The fault of a head that Node lets pass and should not; undefined where there is none. */
function faultOfHead({ rawHeaders, headers, httpVersionMinor }: IncomingMessage): Problem | undefined {
  if (rawHeaders.length > 2 * headLimits.headers) return headTooLarge();
  if (headers.host === undefined && httpVersionMinor > 0) {
    return new Problem('invalid-request', 'The Host header is missing.');
  }
  return undefined;
}

function answerWith(outgoing: ServerResponse, problem: Problem): void {
  const body = JSON.stringify(problem.toDocument());
  const headers = { ...bareHeaders(problem), 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  outgoing.writeHead(problem.status, headers);
  outgoing.end(body);
}

function refuse(problem: Problem): Response {
  return new Response(JSON.stringify(problem.toDocument()), {
    status: problem.status,
    headers: bareHeaders(problem),
  });
}
