import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A received request with a verified signature. */
export interface Received {
  id: string;
  type: string;
  contentType: string;
  /** Number of signatures in the header. */
  signatures: number;
  /** The raw body. */
  body: unknown;
  data: {
    actionId?: string;
    /** Only in contract events. */
    subscriptionId?: string;
    ledgerEventId?: string;
    args?: Record<string, unknown> | null;
  };
}

/** A webhook receiver that verifies signatures with the library `standardwebhooks`. */
export interface Receiver {
  readonly url: string;
  /** Everything received, including duplicates. */
  readonly received: Received[];
  /** Requests with a wrong signature. */
  readonly forged: string[];
  /** The secret used for verification. */
  secret: string;
  /** The response status; a function may choose it. */
  answer: (id: string) => number;
  /** Seconds in `Retry-After` of refusals. If undefined, they have no such header. */
  retryAfter: number | undefined;
  /** Number of requests, including refused ones. */
  requests: number;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const forged: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const part of request) body += part;
      const header = (name: string) => String(request.headers[name] ?? '');
      const id = header('webhook-id');
      receiver.requests += 1;
      const status = receiver.answer(id);
      if (status < 300) {
        try {
          const event = new Webhook(receiver.secret).verify(body, {
            'webhook-id': id,
            'webhook-timestamp': header('webhook-timestamp'),
            'webhook-signature': header('webhook-signature'),
            // The library returns `unknown`, and the tests check the form of the event.
          }) as Pick<Received, 'type' | 'data'>;
          const signatures = header('webhook-signature').split(' ').length;
          received.push({
            id,
            type: event.type,
            contentType: header('content-type'),
            signatures,
            body: event,
            data: event.data,
          });
        } catch {
          forged.push(id);
        }
      }
      // Redirects are not followed, and long responses are not read.
      if (receiver.retryAfter !== undefined) response.setHeader('retry-after', receiver.retryAfter);
      response.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(100_000));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server listening on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/events`,
    ...{ received, forged, secret: '', answer: () => 204, retryAfter: undefined, requests: 0 },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
