import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { DevnetError } from './error.ts';

/** A TCP relay that can silently drop all data. */
export interface BlackHole {
  /** `127.0.0.1:<port>` */
  endpoint: string;
  /** Drops all data in both directions from now on, but keeps connections open. */
  swallow(): void;
  close(): Promise<void>;
}

/**
 * Starts a relay, for tests of silent connection loss.
 * @param target `127.0.0.1:<port>`
 */
export async function openBlackHole(target: string): Promise<BlackHole> {
  let swallowing = false;
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (bytes) => {
      if (!swallowing) to.write(bytes);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((incoming) => {
    const outgoing = connect(Number(target.split(':')[1]), '127.0.0.1');
    pass(incoming, outgoing);
    pass(outgoing, incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new DevnetError('The relay has no port.');
  return {
    endpoint: `127.0.0.1:${address.port}`,
    swallow() {
      swallowing = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
