import { Server, ServerCredentials } from '@grpc/grpc-js';
import { DevnetError } from '../../error.ts';
import type { KeyPair } from '../ca/issue.ts';

/** A peer's gRPC endpoint, which can be stopped and started again. */
export interface Endpoint {
  /** `127.0.0.1:<port>`; the port stays the same over stops. */
  address(): string;
  running(): boolean;
  /** @throws DevnetError when the port is taken */
  start(): Promise<void>;
  /** Ends all connections at once, as a crash would. */
  stop(): Promise<void>;
}

/** What an endpoint serves, and how it proves who it is. */
export interface EndpointOptions {
  /** 0: a free one, at the first start. */
  port: number;
  tls: KeyPair;
  /** Roots (PEM) of clients' TLS certificates, when each client needs one. */
  clientRoots?: readonly string[];
  serve(server: Server): void;
}

/** The largest message taken, as a peer's. */
const maxMessageBytes = 100 * 1024 * 1024;

/** Makes an endpoint. It is not started yet. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  let port = options.port;
  let server: Server | undefined;
  return {
    address: () => `127.0.0.1:${port}`,
    running: () => server !== undefined,
    async start() {
      if (server !== undefined) return;
      const fresh = new Server({
        'grpc.max_receive_message_length': maxMessageBytes,
        'grpc.max_send_message_length': maxMessageBytes,
      });
      options.serve(fresh);
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      fresh.bindAsync(`127.0.0.1:${port}`, credentials(options), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(new DevnetError(`No peer can listen on 127.0.0.1:${port}.`, { cause: error }));
      });
      port = await promise;
      server = fresh;
    },
    async stop() {
      const ending = server;
      server = undefined;
      ending?.forceShutdown();
    },
  };
}

function credentials({ tls, clientRoots }: EndpointOptions): ServerCredentials {
  const roots = clientRoots === undefined ? null : Buffer.from(clientRoots.join('\n'));
  const own = { cert_chain: Buffer.from(tls.certificate), private_key: Buffer.from(tls.privateKey) };
  return ServerCredentials.createSsl(roots, [own], clientRoots !== undefined);
}
