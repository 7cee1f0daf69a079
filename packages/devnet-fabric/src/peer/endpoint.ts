import { once } from 'node:events';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { DevnetError } from '@ledger-ops/devnet';
import type { KeyPair } from '../ca/issue.ts';

/** A peer's gRPC endpoint, which can be stopped and started again. */
export interface Endpoint {
  /** `127.0.0.1:<port>`. The port stays the same across restarts. */
  address(): string;
  running(): boolean;
  /** @throws DevnetError if the port is taken */
  start(): Promise<void>;
  /** Closes all connections immediately, like a crash. */
  stop(): Promise<void>;
}

export interface EndpointOptions {
  /** 0 means any free port at the first start. */
  port: number;
  /** Whether another port may be used if `port` is taken at the first start. */
  anyPort: boolean;
  tls: KeyPair;
  /** PEM of the roots of clients' TLS certificates, for mutual TLS. */
  clientRoots?: readonly string[];
  serve(server: Server): void;
}

/** Maximum size of a message, as on a peer. */
const maxMessageBytes = 100 * 1024 * 1024;

/** Creates an endpoint without starting it. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  let port = options.port;
  let started = false;
  let running: { listener: NetServer; grpc: Server; sockets: Set<Socket> } | undefined;
  return {
    address: () => `127.0.0.1:${port}`,
    running: () => running !== undefined,
    async start() {
      if (running !== undefined) return;
      const grpc = new Server({
        'grpc.max_receive_message_length': maxMessageBytes,
        'grpc.max_send_message_length': maxMessageBytes,
      });
      options.serve(grpc);
      const injector = grpc.createConnectionInjector(credentials(options));
      const sockets = new Set<Socket>();
      // The server manages the sockets itself, so that a stop breaks the connections. grpc would instead
      // report each call as canceled.
      const listener = createServer((socket) => {
        sockets.add(socket);
        socket.setNoDelay(true);
        // The TLS layer reports the error.
        socket.on('error', () => socket.destroy());
        socket.once('close', () => sockets.delete(socket));
        injector.injectConnection(socket);
      });
      port = await listen(listener, port, options.anyPort && !started);
      started = true;
      running = { listener, grpc, sockets };
    },
    async stop() {
      const ending = running;
      running = undefined;
      if (ending === undefined) return;
      const closed = new Promise<void>((resolve) => ending.listener.close(() => resolve()));
      for (const socket of ending.sockets) socket.resetAndDestroy();
      ending.grpc.forceShutdown();
      await closed;
    },
  };
}

async function listen(listener: NetServer, port: number, anyPort: boolean): Promise<number> {
  try {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
  } catch (cause) {
    if (anyPort && port !== 0) return await listen(listener, 0, false);
    throw new DevnetError(
      `The peer cannot listen on 127.0.0.1:${port}. Stop the program that uses the port, or choose another one.`,
      { cause },
    );
  }
  const address = listener.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}

function credentials({ tls, clientRoots }: EndpointOptions): ServerCredentials {
  const roots = clientRoots === undefined ? null : Buffer.from(clientRoots.join('\n'));
  const own = { cert_chain: Buffer.from(tls.certificate), private_key: Buffer.from(tls.privateKey) };
  return ServerCredentials.createSsl(roots, [own], clientRoots !== undefined);
}
