import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A request that a receiver took, its signature verified. */
export interface Received {
  id: string;
  /** When it came, by its order. */
  type: string;
  contentType: string;
  /** How many signatures it had. */
  signatures: number;
  /** As it was sent. */
  body: unknown;
  data: {
    actionId?: string;
    /** Of events of contracts. */
    subscriptionId?: string;
    ledgerEventId?: string;
    args?: Record<string, unknown> | null;
  };
}

/** A receiver of webhooks, of the library that receivers use. */
export interface Receiver {
  readonly url: string;
  /** All that was taken, doubles included. */
  readonly received: Received[];
  /** Requests whose signature is wrong. */
  readonly forged: string[];
  /** Secret that it verifies by. */
  secret: string;
  /** Status that it answers; a function may choose. */
  answer: (id: string) => number;
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
      const status = receiver.answer(id);
      if (status < 300) {
        try {
          const event = new Webhook(receiver.secret).verify(body, {
            'webhook-id': id,
            'webhook-timestamp': header('webhook-timestamp'),
            'webhook-signature': header('webhook-signature'),
            // The library answers unknown: its form is what this file's tests are about.
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
      // Redirects are not followed, and long answers not read.
      response.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(100_000));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/events`,
    ...{ received, forged, secret: '', answer: () => 204 },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
