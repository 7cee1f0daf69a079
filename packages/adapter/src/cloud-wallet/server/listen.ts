import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** A port where requests are answered. */
export interface Listening {
  /** `http://<host>:<port>` */
  url: string;
  close(): Promise<void>;
}

/**
 * Answers HTTP requests with a handler, such as the one of `serveAdapter`. TLS is for a proxy before it.
 * @param place `port` 0 takes a free one; `host` default `127.0.0.1`.
 */
export async function listen(
  handle: (request: Request) => Promise<Response>,
  place: { port: number; host?: string },
): Promise<Listening> {
  const host = place.host ?? '127.0.0.1';
  const server = createServer(async (incoming, outgoing) => {
    const response = await handle(toRequest(incoming)).catch(() => new Response(null, { status: 500 }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
    // A body that was refused unread would keep the connection waiting.
    if (!incoming.complete) outgoing.once('finish', () => incoming.destroy());
  });
  server.listen(place.port, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : place.port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function toRequest(incoming: IncomingMessage): Request {
  const headers = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  }
  const method = incoming.method ?? 'GET';
  const bodied = method !== 'GET' && method !== 'HEAD';
  // The path alone counts; the address is the listener's own affair.
  return new Request(new URL(incoming.url ?? '/', 'http://plugin.invalid'), {
    method,
    headers,
    ...(bodied ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}),
  });
}
