import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { StoreError } from '../errors.ts';
import { silentLogger } from '../logger.ts';
import { ReplicatedPostgres } from '../testing/index.ts';
import { freePort } from '../testing/postgres-cluster.ts';
import type { Store } from '../types.ts';
import { openPostgresStore } from './store.ts';

vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>();
  const pair = ['127.0.0.2', '127.0.0.1'].map((address) => ({ address, family: 4 }));
  const lookup = (
    name: string,
    options: LookupAllOptions,
    done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
  ) => {
    if (name === 'pair.test') done(null, pair);
    else dns.lookup(name, options, done);
  };
  return { ...dns, lookup };
});

let postgres: ReplicatedPostgres;
let store: Store;

beforeAll(async () => {
  postgres = await ReplicatedPostgres.start(true);
  const timing = { connect: 1_000, listenAgain: { first: 10, longest: 100 } };
  store = await openPostgresStore({
    url: `${postgres.url}?target_session_attrs=read-write`,
    logger: silentLogger,
    timing,
    maxConnections: 4,
  });
});
afterAll(async () => {
  await store?.close();
  await postgres?.stop();
});

/** Forwards connections to a port of this machine. */
async function forward(address: string, port: number, to: number): Promise<Server> {
  const server = createServer((client) => {
    const forwarded = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [client, forwarded],
      [forwarded, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(port, address);
  await once(server, 'listening');
  return server;
}

const insert = (name: string) =>
  store.transaction((tx) => tx.run('insert into counter (name, value) values ($1, 1)', [name]));

it('rejects writes while the server is configured as read-only, and accepts them afterwards', async () => {
  await insert('earlier');
  await postgres.setReadOnly(true);
  const stored = () =>
    insert(`during ${performance.now()}`).then(
      () => 'stored',
      (error: StoreError) => error.native,
    );
  // Open sessions apply a changed configuration after a short delay.
  await expect.poll(stored).toBe('25006');
  expect([await stored(), await stored()]).toEqual(['25006', '25006']);
  await postgres.setReadOnly(false);
  await expect.poll(stored).toBe('stored');
});

it('finds the primary if the first address of a host name is a standby', async () => {
  const [primary = 0, standby = 0] = [...postgres.url.matchAll(/:(\d+)/g)].map(([, digits]) =>
    Number(digits),
  );
  const port = await freePort();
  const forwarders = await Promise.all([
    forward('127.0.0.2', port, standby),
    forward('127.0.0.1', port, primary),
  ]);
  const url = postgres.url.replace(/@[^/]*/, `@pair.test:${port}`);
  try {
    const named = await openPostgresStore({ url, logger: silentLogger, timing: { connect: 1_000 } });
    await named
      .transaction((tx) => tx.run("insert into counter (name, value) values ('named', 1)", []))
      .finally(() => named.close());
  } finally {
    for (const forwarder of forwarders) forwarder.close();
  }
});

it('the store continues on the promoted standby with all committed data', async () => {
  const other = await openPostgresStore({ url: postgres.url, logger: silentLogger });
  try {
    await insert('before');
    await postgres.failOver();
    await expect
      .poll(() =>
        insert('after').then(
          () => 'stored',
          () => 'unavailable',
        ),
      )
      .toBe('stored');
    const rows = await store.read.all(
      "select name from counter where name in ('before', 'after') order by name",
    );
    expect(rows).toEqual([{ name: 'after' }, { name: 'before' }]);

    const heard: string[] = [];
    store.listen('topic', (payload) => heard.push(payload));
    await expect
      .poll(() => {
        other.notify('topic', 'hint');
        return heard;
      })
      .toContain('hint');
  } finally {
    await other.close();
  }
});
