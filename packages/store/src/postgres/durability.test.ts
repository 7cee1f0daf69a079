// Tests that committed transactions survive a crash of PostgreSQL, whatever the commit settings of the role or server
// are.
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { silentLogger } from '../logger.ts';
import { CrashingPostgres } from '../testing/index.ts';
import type { Store } from '../types.ts';
import { openPostgresStore } from './store.ts';

let postgres: CrashingPostgres;
const stores: Store[] = [];

beforeAll(async () => {
  postgres = await CrashingPostgres.start();
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await postgres?.stop();
});

async function open(logger = silentLogger): Promise<Store> {
  const store = await openPostgresStore({ url: postgres.url, logger, maxConnections: 2 });
  stores.push(store);
  return store;
}

const modeIn = (store: Store) =>
  store.transaction(async (tx) => {
    const [row] = await tx.all<{ mode: string }>("select current_setting('synchronous_commit') as mode");
    return row?.mode;
  });

async function readMode(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query("select current_setting('synchronous_commit') as mode");
  return rows[0].mode;
}

it('committed transactions survive a crash even if synchronous_commit is off for the role', async () => {
  const store = await open();
  const names = Array.from({ length: 20 }, (_, n) => `kept-${n}`);
  for (const name of names) {
    await store.transaction((tx) => tx.run('insert into counter (name, value) values ($1, 1)', [name]));
  }
  await postgres.crash();
  await postgres.restart();
  const after = await open();
  const rows = await after.read.all<{ name: string }>(
    "select name from counter where name like 'kept-%' order by value, name",
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([...names].sort());
});

it('sets synchronous_commit to on if it is off, also if it is turned off while servers run', async () => {
  const store = await open();
  expect(await modeIn(store)).toBe('on');
  for (const mode of ['local', 'remote_write', 'remote_apply', 'on', 'off']) {
    await postgres.asAdministrator((client) =>
      client.query(`alter role careless set synchronous_commit = ${mode}`),
    );
    expect(await modeIn(await open())).toBe(mode === 'off' ? 'on' : mode);
  }
  // When the configuration is reloaded, open connections that have not set the value themselves change, too.
  await postgres.asAdministrator((client) => client.query('alter role careless reset synchronous_commit'));
  const running = await open();
  await postgres.asAdministrator(async (client) => {
    await client.query("alter system set synchronous_commit = 'off'");
    await client.query('select pg_reload_conf()');
  });
  await expect.poll(() => postgres.asAdministrator(readMode)).toBe('off');
  expect(await modeIn(running)).toBe('on');
});

it('makes commits durable without a statement per transaction', async () => {
  const store = await open();
  await store.transaction((tx) => tx.all('select 1 as one'));
  const send = vi.spyOn(pg.Client.prototype, 'query');
  await store.transaction((tx) => tx.all('select 1 as one'));
  const sent = send.mock.calls.map((call) => JSON.stringify(call[0]));
  send.mockRestore();
  expect(sent).toEqual([
    expect.stringContaining('BEGIN'),
    expect.stringContaining('select 1 as one'),
    expect.stringContaining('COMMIT'),
  ]);
});

it('the log names the settings that can lose commits when the machine crashes', async () => {
  const lines: string[] = [];
  await open({ ...silentLogger, warn: (_, message) => lines.push(message) });
  // Test servers run with fsync off.
  expect(lines).toEqual([
    expect.stringMatching(/^PostgreSQL runs with fsync off: a crash of the PostgreSQL host/),
  ]);
});
