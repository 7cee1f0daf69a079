import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';

/**
 * What happens to a request. `lose-request`: the service never gets it. `lose-response`: the service executes it, but
 * the connection is closed without a response. `cut-response`: the connection is closed during the response. `delay`:
 * the service gets it late.
 */
export type Fate = 'pass' | 'lose-request' | 'lose-response' | 'cut-response' | 'delay';

export interface LossyProxy {
  readonly url: string;
  /** Returns what happens to a request. */
  fate: (request: IncomingMessage) => Fate;
  /** Delay of requests with the fate `delay`. */
  delayMs: number;
  close(): Promise<void>;
}

/** Opens a proxy in front of a service, which loses, delays or cuts requests and responses as its `fate` decides. */
export async function openLossyProxy(service: string): Promise<LossyProxy> {
  const target = new URL(service);
  const server = createServer((request, response) => {
    const fate = proxy.fate(request);
    if (fate === 'lose-request') return void request.socket.destroy();
    const timers = setTimeout(() => forward(request, response, fate), fate === 'delay' ? proxy.delayMs : 0);
    server.once('close', () => clearTimeout(timers));
  });
  server.setMaxListeners(0);

  function forward(incoming: IncomingMessage, response: ServerResponse, fate: Fate): void {
    const { method, url: path, headers } = incoming;
    const { hostname, port } = target;
    const onward = send({ hostname, port, method, path, headers, agent: false }, (answer) => {
      if (fate === 'lose-response') {
        // The response shows that the service executed the request.
        answer.resume().once('end', () => incoming.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (fate === 'cut-response') answer.once('data', () => incoming.socket.destroy());
      else answer.pipe(response);
    });
    onward.once('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const proxy: LossyProxy = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    fate: () => 'pass',
    delayMs: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
