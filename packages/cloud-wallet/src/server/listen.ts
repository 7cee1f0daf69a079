import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { defaultTiming, type Timing } from '../timing.ts';

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
  timing: Pick<Timing, 'drop'> = defaultTiming,
): Promise<Listening> {
  const host = place.host ?? '127.0.0.1';
  const server = createServer(async (incoming, outgoing) => {
    const body = bodyOf(incoming, timing.drop);
    const response = await handle(toRequest(incoming, body.stream)).catch(
      () => new Response(null, { status: 500 }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
    body.drop();
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

/**
 * A request's body as a stream. What is left of it when the answer is given is taken and dropped, for a while: a
 * caller that is cut off while it sends does not read the answer.
 */
function bodyOf(
  incoming: IncomingMessage,
  dropAfter: number,
): { stream: ReadableStream<Uint8Array>; drop(): void } {
  let dropped = false;
  const drop = () => {
    if (dropped || incoming.complete) return;
    dropped = true;
    incoming.resume();
    const timer = setTimeout(() => incoming.destroy(), dropAfter);
    incoming.once('close', () => clearTimeout(timer));
  };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Buffer) => {
        if (dropped) return;
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once('end', () => dropped || controller.close());
      incoming.once('error', (error) => dropped || controller.error(error));
      incoming.pause();
    },
    pull: () => void incoming.resume(),
    cancel: drop,
  });
  return { stream, drop };
}

function toRequest(incoming: IncomingMessage, body: ReadableStream<Uint8Array>): Request {
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
    ...(bodied ? { body, duplex: 'half' } : {}),
  });
}
