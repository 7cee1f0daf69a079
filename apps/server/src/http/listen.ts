import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Problem } from '@ledger-ops/base';
import { ConfigError } from '../config-error.ts';

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

/**
 * Listens on an address.
 *
 * @throws ConfigError when the port is taken or the address is not one of this machine
 */
export async function listen(host: string, port: number, idle = idleTimeout): Promise<Listener> {
  let fetch: Fetch = () => refuse(new Problem('unavailable', 'The service is starting.', { retryAfter: 1 }));
  let closing = false;
  const server = createServer(timeouts);
  server.timeout = idle;
  const listener = getRequestListener((request, bindings) => fetch(request, bindings), {
    // What a URL cannot be made of, such as a Host header that is none.
    errorHandler: () =>
      refuse(new Problem('invalid-request', 'The request line or the Host header is malformed.')),
  });
  server.on('request', (incoming, outgoing) => {
    outgoing.once('close', () => {
      if (closing) server.closeIdleConnections();
    });
    void listener(incoming, outgoing);
  });
  await begin(server, host, port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    serve(next) {
      fetch = next;
    },
    async close(patience) {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), patience);
      await closed;
      clearTimeout(timer);
    },
  };
}

function begin(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const code = 'code' in error ? error.code : undefined;
      if (code === 'EADDRINUSE') {
        reject(new ConfigError(`PORT ${port} on ${host} is taken by another program; choose another one.`));
      } else if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
        reject(new ConfigError(`HOST ${host} is not an address of this machine.`));
      } else if (code === 'EACCES') {
        reject(new ConfigError(`PORT ${port} may not be used by this user; choose one above 1023.`));
      } else {
        reject(error);
      }
    });
    server.listen(port, host, resolve);
  });
}

function refuse(problem: Problem): Response {
  return new Response(JSON.stringify(problem.toDocument()), {
    status: problem.status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      ...(problem.retryAfter === undefined ? {} : { 'Retry-After': String(problem.retryAfter) }),
    },
  });
}
