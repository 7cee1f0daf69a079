// Tests with a PostgreSQL server that no longer responds, as if a firewall dropped its packets.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLogger } from '../logger.ts';
import { openPostgres, type PostgresCluster } from '../testing/index.ts';
import { openPostgresStore } from './store.ts';

/** Forwards connections to a server until `silence`, and after that keeps them open without forwarding anything. */
async function openRelay(url: URL) {
  const sockets: Socket[] = [];
  const relay = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: Number(url.port), host: url.hostname, allowHalfOpen: true });
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined));
    near.pipe(far);
    far.pipe(near);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    url: Object.assign(new URL(url), { port: String((relay.address() as AddressInfo).port) }).href,
    silence() {
      for (const socket of sockets) socket.unpipe();
    },
    async close() {
      const closed = once(relay, 'close');
      relay.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

let cluster: PostgresCluster;
beforeAll(async () => {
  cluster = await openPostgres();
});
afterAll(() => cluster?.stop());

it('a store closes even if its server no longer responds', async () => {
  const relay = await openRelay(new URL(await cluster.createDatabase()));
  try {
    const store = await openPostgresStore({ url: relay.url, logger: silentLogger, maxConnections: 2 });
    await Promise.all([1, 2].map(() => store.transaction((tx) => tx.all('select pg_sleep(0.1)'))));
    relay.silence();
    await store.close();
    await expect(store.read.all('select 1')).rejects.toThrow('The store is closed.');
  } finally {
    await relay.close();
  }
}, 30_000);
