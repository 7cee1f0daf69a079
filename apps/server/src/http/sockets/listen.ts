import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Problem } from '@ledger-ops/base';
import { bareHeaders, headLimits, headTooLarge, problemOfParser, writeProblem } from './bare-problem.ts';
import { type ConnectionBounds, type ConnectionMeter, Connections, type Patience } from './connections.ts';
import { endLingering, type LingerBounds, lingerBounds } from './linger.ts';
import { listenOn } from './listen-on.ts';
import { gateRequests, type RequestGates } from './request-gate.ts';
import { sliceWrites } from './sliced-writes.ts';

/** A request handler, such as an application's `fetch`. */
export type Fetch = Parameters<typeof getRequestListener>[0];

/** A listening HTTP server. */
export interface Listener {
  readonly port: number;
  /** Starts handling requests with `fetch`; before that, every response is 503. */
  serve(fetch: Fetch): void;
  /** Changes the reason in the 503 responses. */
  refuse(reason: string): void;
  /** From now on, each response ends its connection, so that clients and proxies open the next one to another server. */
  drain(): void;
  /** Drains, stops accepting connections, and waits at most `patience` milliseconds for running requests. */
  close(patience: number): Promise<void>;
}

/** A server that does not listen until `open` is called. */
export interface ClosedListener extends Omit<Listener, 'port'> {
  /**
   * Listens, unless it already does. Returns the port.
   *
   * @throws ConfigError if the port is in use or the address is not one of this machine
   */
  open(): Promise<number>;
}

/**
 * Time limits in milliseconds for a whole request, for its head, and between two requests of a connection, and the interval at
 * which the first two are checked. Bodies of public operations have less time (`bodyLimits`).
 */
const timeouts = {
  requestTimeout: 120_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};

/** Milliseconds after which a connection without traffic is closed: its client does not read, or has disappeared. */
const idleTimeoutMs = 180_000;

/**
 * How long a connection without a request stays open after the server stops accepting connections, in
 * milliseconds: a proxy that has just connected is about to send a request.
 */
const firstRequestPatience = 200;

export interface ListenOptions {
  /** Default: none. */
  readonly connections?: ConnectionBounds;
  readonly meter?: ConnectionMeter;
  /** Milliseconds; default {@link idleTimeoutMs}. */
  readonly idle?: number;
  readonly linger?: LingerBounds;
  readonly patience?: Patience;
  /** Time limit for receiving a head, in milliseconds. */
  readonly headTimeout?: number;
}

const unbounded: ConnectionBounds = { total: Number.POSITIVE_INFINITY, perAddress: undefined };
const unmetered: ConnectionMeter = { open() {}, bounded() {} };

/**
 * Listens on an address.
 *
 * @throws ConfigError if the port is in use or the address is not one of this machine
 */
export async function listen(host: string, port: number, options: ListenOptions = {}): Promise<Listener> {
  const { open, ...listener } = createListener(host, port, options);
  return { ...listener, port: await open() };
}

/** Creates a server that listens once it is opened. */
export function createListener(host: string, port: number, options: ListenOptions = {}): ClosedListener {
  const { idle = idleTimeoutMs, linger = lingerBounds, headTimeout = timeouts.headersTimeout } = options;
  let reason = 'The service is starting.';
  let fetch: Fetch = () => refuse(new Problem('unavailable', reason, { retryAfter: 1 }));
  let isDraining = false;
  let closing = false;
  const server = createServer({
    ...timeouts,
    headersTimeout: headTimeout,
    maxHeaderSize: headLimits.bytes,
    requireHostHeader: false,
  });
  server.timeout = idle;
  // The number of headers has no maximum here, because Node silently drops headers beyond it; `faultOfHead`
  // counts them instead.
  server.maxHeadersCount = 0;
  server.on('connection', sliceWrites);
  const gates = gateRequests(server);
  /**
   * Open connections that have not sent a request. Browsers and pools keep such connections, and Node does not count
   * them as idle.
   */
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  /** Responses that have not been flushed yet. */
  const running = new Set<ServerResponse>();
  endConnectionsWell(server, gates, linger);
  const { connections = unbounded, meter = unmetered, patience } = options;
  const bounded = new Connections(server, gates, meter, connections, patience);
  const listener = getRequestListener((request, bindings) => fetch(request, bindings), {
    // The host is only needed for HTTP/1.0 requests, which have no Host header. The application uses only the
    // path and query of the URL.
    hostname: 'localhost',
    // Off, because Node reads the rest of a short body anyway, and `endConnectionsWell` ends other connections.
    autoCleanupIncoming: false,
    // Called if the request has no valid URL, for example because of a malformed Host header.
    errorHandler: () =>
      refuse(new Problem('invalid-request', 'The request line or the Host header is malformed.')),
  });
  server.on('request', (incoming, outgoing) => {
    running.add(outgoing);
    if (isDraining) outgoing.setHeader('Connection', 'close');
    outgoing.once('close', () => {
      running.delete(outgoing);
      if (closing) server.closeIdleConnections();
    });
    unused.delete(incoming.socket);
    // The target is the whole server instead of a path (RFC 9112, section 3.2.4), which is not a valid URL.
    if (incoming.method === 'OPTIONS' && incoming.url === '*') incoming.url = '/';
    const fault = faultOfHead(incoming);
    if (fault === undefined) void listener(incoming, outgoing);
    else answerWith(outgoing, fault);
  });
  const drain = () => {
    isDraining = true;
    for (const outgoing of running) if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
  };
  let opened: Promise<number> | undefined;
  return {
    open() {
      opened ??= listenOn(server, { host: 'HOST', port: 'PORT' }, { host, port });
      return opened;
    },
    serve(next) {
      fetch = next;
    },
    refuse(next) {
      reason = next;
    },
    drain,
    async close(patience) {
      drain();
      closing = true;
      bounded.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const destroyUnused = () => {
        for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
      };
      const timers = [
        setTimeout(destroyUnused, Math.min(firstRequestPatience, patience)),
        setTimeout(() => server.closeAllConnections(), patience),
      ];
      await closed;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Responds to requests that the parser rejects, and makes sure that no response is lost while its client is still sending. */
function endConnectionsWell(server: Server, gates: RequestGates, bounds: LingerBounds): void {
  const ending = new WeakSet<Socket>();
  const end = (socket: Socket) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    gates.stop(socket);
    endLingering(socket, bounds);
  };
  server.on('connection', (socket) => {
    // Node calls `destroySoon` after a response with `Connection: close`.
    socket.destroySoon = () => {
      const isReceiving = gates.exchangeOf(socket)?.incoming.complete === false || gates.holdsBytes(socket);
      gates.stop(socket);
      if (isReceiving && !socket.readableEnded) end(socket);
      else if (!ending.has(socket)) Socket.prototype.destroySoon.call(socket);
    };
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // The stream comes from the `connection` event, so it is a socket.
    const socket = stream as Socket;
    if (ending.has(socket)) return;
    gates.stop(socket);
    // Browsers and pools open connections in advance; no client is waiting for a response.
    if (socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const outgoing = gates.exchangeOf(socket)?.outgoing;
    if (!socket.writable || error.code === 'ECONNRESET' || outgoing?.headersSent === true) {
      if (outgoing === undefined || outgoing.writableFinished || !socket.writable) socket.destroy();
      else outgoing.once('finish', () => end(socket));
      return;
    }
    writeProblem(socket, problemOfParser(error.code));
    end(socket);
  });
  server.on('connect', (_request, stream) => {
    // The stream comes from the `connection` event, so it is a socket.
    const socket = stream as Socket;
    socket.on('error', () => socket.destroy());
    const problem = new Problem(
      'method-not-allowed',
      `This service is not a proxy. It supports ${everyMethod}.`,
    );
    writeProblem(socket, problem, { Allow: everyMethod });
    end(socket);
  });
  server.on('checkExpectation', (_incoming, outgoing) => {
    answerWith(
      outgoing,
      new Problem('expectation-failed', 'The only supported Expect header is 100-continue.'),
    );
  });
}

const everyMethod = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

/** Returns the error in a head that Node accepts but this server refuses; undefined if there is none. */
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
