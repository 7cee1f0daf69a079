import { createServer } from 'node:http';
import { listenOn } from '../http/sockets/listen-on.ts';
import { gateRequests } from '../http/sockets/request-gate.ts';

/** A listening `/metrics` endpoint. */
export interface MetricsEndpoint {
  readonly port: number;
  close(): Promise<void>;
}

export interface MetricsEndpointOptions {
  readonly host: string;
  readonly port: number;
  readonly contentType: string;
  /** Returns all metrics. Concurrent requests share one call. */
  text(): Promise<string>;
  /** Called with the error if reading fails. */
  failed(error: unknown): void;
}

/** Maximum number of concurrent connections. A scraper needs one. */
const mostConnections = 64;
const timeouts = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 65_000 };

/**
 * Serves `GET /metrics`, and nothing else, on a separate address.
 *
 * @throws ConfigError if the port is in use or the address is not one of this machine
 */
export async function serveMetrics(options: MetricsEndpointOptions): Promise<MetricsEndpoint> {
  let reading: Promise<string> | undefined;
  const read = () => {
    reading ??= options.text().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const server = createServer(timeouts, (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    request.resume();
    if (request.url?.split('?')[0] !== '/metrics' || !isRead) {
      response.writeHead(404).end();
      return;
    }
    read().then(
      (text) => {
        response.writeHead(200, {
          'Content-Type': options.contentType,
          'Content-Length': Buffer.byteLength(text),
          'X-Content-Type-Options': 'nosniff',
        });
        response.end(request.method === 'HEAD' ? undefined : text);
      },
      (error: unknown) => {
        options.failed(error);
        response.writeHead(500).end();
      },
    );
  });
  gateRequests(server);
  server.maxConnections = mostConnections;
  const port = await listenOn(server, { host: 'METRICS_HOST', port: 'METRICS_PORT' }, options);
  return {
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
