import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../../../testing/children.ts';

/** A proxy in front of a server on loopback, which can make the server unreachable. */
export interface Relay {
  readonly port: number;
  /** Closes all connections and accepts no new ones. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
}

/** Forwards TCP connections to a port of this machine. */
export async function startRelay(target: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    // A server listening on TCP has an address of this form.
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(await freePort());
  return {
    port,
    async goDown() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async comeUp() {
      await listen(port);
    },
  };
}
