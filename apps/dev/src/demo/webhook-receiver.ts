import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One in this number of deliveries is refused, so that users see retries. */
const refusedEvery = 500;

/** Receives the demo's webhook on a free loopback port. */
export interface WebhookReceiver extends Disposable {
  readonly url: string;
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    request.resume();
    response.writeHead(count % refusedEvery === 0 ? 503 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // `address()` returns an object, not a string or null, for a server that listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/bookkeeping`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
