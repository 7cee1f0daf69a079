import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Ports that the Fetch standard blocks, except those that other tests use. */
const blocked = [1_719, 1_720, 1_723, 2_049, 3_659, 4_045, 4_190, 5_060, 5_061, 6_566, 6_679, 6_697];

/** Makes a server listen on 127.0.0.1, on a port that `fetch` and `WebSocket` refuse, in browsers and in Node. Returns the port. */
export async function listenOnBlockedPort(server: Server): Promise<number> {
  for (const port of blocked) {
    const isListening = await new Promise<boolean>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error);
      server.once('error', failed);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', failed);
        resolve(true);
      });
    });
    if (isListening) return port;
  }
  throw new Error('All blocked ports that tests can use are in use.');
}

/** A blocked port that forwards its connections to another port. */
export interface BlockedPort {
  port: number;
  close(): Promise<void>;
}

/** Forwards a blocked port to the port of a URL. */
export async function forwardBlockedPort(url: string): Promise<BlockedPort> {
  const sockets = new Set<Socket>();
  const server = createServer((inbound) => {
    const outbound = connect(Number(new URL(url).port), '127.0.0.1');
    for (const [one, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => sockets.delete(one));
      one.pipe(other);
    }
  });
  const port = await listenOnBlockedPort(server);
  return {
    port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
