import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { openStore } from '../index.ts';
import { silentLogger } from '../logger.ts';
import { HostileRole, openPostgres, type PostgresCluster } from '../testing/index.ts';
import type { Store } from '../types.ts';
import { openPostgresStore, type PostgresStoreOptions } from './store.ts';

let cluster: PostgresCluster;
let url: string;
let stores: Store[] = [];

beforeAll(async () => {
  cluster = await openPostgres();
});

afterAll(() => cluster.stop());

beforeEach(async () => {
  url = await cluster.createDatabase();
});

afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  stores = [];
});

async function open(options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const store = await openPostgresStore({ url, logger: silentLogger, maxConnections: 4, ...options });
  stores.push(store);
  return store;
}

const insert = 'insert into counter (name, value) values ($1, $2)';
const bump = 'update counter set value = value + 1 where name = $1';

it('retries a transaction that was the victim of a deadlock', async () => {
  const store = await open();
  await store.transaction((tx) =>
    tx.insertMany(
      'counter',
      ['name', 'value'],
      [
        ['a', 0],
        ['b', 0],
      ],
    ),
  );
  let runs = 0;
  let inside = 0;
  const bothInside = Promise.withResolvers<void>();
  const cross = (first: string, second: string) =>
    store.transaction(async (tx) => {
      runs += 1;
      await tx.run(bump, [first]);
      inside += 1;
      if (inside === 2) bothInside.resolve();
      await bothInside.promise;
      await tx.run(bump, [second]);
    });
  await Promise.all([cross('a', 'b'), cross('b', 'a')]);
  // The retried transaction may become the victim of a deadlock again.
  expect(runs).toBeGreaterThan(2);
  expect(await store.read.all('select name, value from counter order by name')).toEqual([
    { name: 'a', value: 2 },
    { name: 'b', value: 2 },
  ]);
});

it('fails a transaction after repeated conflicts', async () => {
  const store = await open({ timing: { transactionRetries: 2 } });
  let runs = 0;
  const failing = store.transaction(async (tx) => {
    runs += 1;
    await tx.run("do $$ begin raise exception using errcode = '40001'; end $$");
  });
  await expect(failing).rejects.toMatchObject({ code: 'conflict', native: '40001' });
  expect(runs).toBe(3);
});

it('notifies its own listeners once per call, and other servers once per distinct notification', async () => {
  const [here, there] = [await open(), await open()];
  const heard = { here: [] as string[], there: [] as string[] };
  here.listen('topic', (payload) => heard.here.push(payload));
  there.listen('topic', (payload) => heard.there.push(payload));
  here.notify('topic', 'two\nlines');
  here.notify('topic', 'same');
  here.notify('topic', 'same');
  here.notify('topic', 'x'.repeat(7_895));
  here.notify('topic', 'end');
  await vi.waitFor(() => expect(heard.there.at(-1)).toBe('end'), 30_000);
  expect(heard.there).toEqual(['two\nlines', 'same', 'x'.repeat(7_895), 'end']);
  expect(heard.here).toEqual(['two\nlines', 'same', 'same', 'x'.repeat(7_895), 'end']);
});

it('reconnects and listens again after PostgreSQL has closed its connections', async () => {
  const [here, there] = [await open(), await open()];
  const heard: string[] = [];
  there.listen('topic', (payload) => heard.push(payload));
  await here.read.all(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  let n = 0;
  await vi.waitFor(
    () => {
      n += 1;
      here.notify('topic', `${n}`);
      expect(heard).not.toEqual([]);
    },
    { timeout: 30_000, interval: 50 },
  );
  await vi.waitFor(() => there.transaction((tx) => tx.run(insert, [`${Math.random()}`, 1])), 30_000);
});

it('reports the database as unavailable if a connection breaks in a transaction', async () => {
  const store = await open();
  const broken = store.transaction(async (tx) => {
    await tx.run(insert, ['x', 1]);
    const [row] = await tx.all<{ pid: number }>('select pg_backend_pid() as pid');
    await store.read.all('select pg_terminate_backend($1)', [row?.pid ?? 0]);
    await tx.run(insert, ['y', 1]);
  });
  await expect(broken).rejects.toMatchObject({ code: 'unavailable' });
  expect(await store.read.all('select name from counter')).toEqual([]);
});

it('cancels a statement that takes too long', async () => {
  const store = await open({ timing: { statement: 1_000 } });
  await expect(store.read.all('select pg_sleep(10)')).rejects.toMatchObject({ code: 'timeout' });
  await expect(store.transaction((tx) => tx.all('select pg_sleep(10)'))).rejects.toMatchObject({
    code: 'timeout',
  });
});

it('rolls back work on PostgreSQL that awaits something other than the database', async () => {
  const store = await open({ timing: { strayAwait: 50 } });
  const stray = store.transaction(async (tx) => {
    await tx.run(insert, ['x', 1]);
    await new Promise(() => undefined);
  });
  await expect(stray).rejects.toMatchObject({
    code: 'misuse',
    message: expect.stringContaining('insert into'),
  });
  expect(await store.read.all('select name from counter')).toEqual([]);
});

it('limits how long an idle transaction may hold locks', async () => {
  const store = await open();
  expect(await store.read.all("select current_setting('idle_in_transaction_session_timeout') as t")).toEqual([
    { t: '10s' },
  ]);
});

it('the time limit for awaiting something other than the database does not apply to statements', async () => {
  const store = await open({ timing: { strayAwait: 50 } });
  await store.transaction(async (tx) => {
    await tx.all('select pg_sleep(0.2)');
    await tx.run(insert, ['x', 1]);
  });
  expect(await store.read.all('select name from counter')).toEqual([{ name: 'x' }]);
});

it('reads the time from the database', async () => {
  const store = await open();
  const asked = async () => {
    const [row] = await store.read.all<{ ms: number }>(
      'select (extract(epoch from now()) * 1000)::bigint as ms',
    );
    return row?.ms ?? 0;
  };
  const before = await asked();
  const now = await store.now();
  expect(now).toBeGreaterThan(before - 1_000);
  expect(now).toBeLessThan((await asked()) + 1_000);
});

it('reports an invalid URL or server without revealing the password', async () => {
  const closed = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
  const wrongPassword = new URL(url);
  wrongPassword.password = 'S3CRET';
  const attempts: [string, string][] = [
    ['S3CRET is no URL', 'misuse'],
    ['mysql://user:S3CRET@localhost/x', 'misuse'],
    [`postgres://user:S3CRET@127.0.0.1:${closed}/x`, 'unavailable'],
    [wrongPassword.href, 'unavailable'],
  ];
  for (const [bad, code] of attempts) {
    const error = await openStore({ url: bad }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code });
    expect(`${error}${error instanceof Error ? error.stack : ''}`).not.toContain('S3CRET');
  }
});

it('fails on integers beyond 2^53 instead of rounding them', async () => {
  const store = await open();
  await expect(store.read.all('select 9007199254740993::bigint as n')).rejects.toMatchObject({
    code: 'statement',
  });
});

it('closes all connections to a server that became read-only', async () => {
  const store = await open({ maxConnections: 3 });
  // The pool has two idle connections, and one that is in use.
  const pids = async () => {
    const reads = Array.from({ length: 3 }, () =>
      store.read.all<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.05)'),
    );
    return (await Promise.all(reads)).flatMap((rows) => rows.map(({ pid }) => pid));
  };
  const before = await pids();
  expect(new Set(before).size).toBe(3);
  // Simulates a pooler or a cloud service behind which the same connections now reach a read-only server.
  await store.read.all(`create function only_reads() returns trigger language plpgsql as $$ begin
    if pg_backend_pid() = any(array[${before.join(',')}]) then raise exception using errcode = '25006'; end if;
    return new; end $$`);
  await store.read.all(
    'create trigger only_reads before insert on counter for each row execute function only_reads()',
  );
  await expect(store.transaction((tx) => tx.run(insert, ['a', 1]))).rejects.toMatchObject({
    code: 'unavailable',
    native: '25006',
  });
  const after = await pids();
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  await store.transaction((tx) => tx.run(insert, ['a', 1]));
});

it('waits for a free connection if the role may not open more connections', async () => {
  const role = await HostileRole.create(url);
  const admin = await open();
  try {
    // One of the role's connections listens for notifications.
    await admin.read.all(`alter role ${new URL(role.url).username} connection limit 6`);
    const store = await open({ url: role.url, maxConnections: 16 });
    const all = Array.from({ length: 30 }, (_, nth) =>
      store.transaction(async (tx) => {
        await tx.run(insert, [`${nth}`, 1]);
        await tx.all('select pg_sleep(0.05)');
      }),
    );
    expect((await Promise.allSettled(all)).filter(({ status }) => status === 'rejected')).toEqual([]);
    await store.close();
  } finally {
    await role.drop();
  }
});

it('fails after a limited time if other clients use every connection', async () => {
  const role = await HostileRole.create(url);
  const admin = await open();
  try {
    const name = new URL(role.url).username;
    const store = await open({ url: role.url, maxConnections: 4, timing: { connect: 400 } });
    // Only the connection that listens for notifications remains.
    await admin.read.all(`alter role ${name} connection limit 1`);
    await admin.read.all(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}' and query not like 'listen %'`,
    );
    const refusal = { code: 'unavailable', native: '53300' };
    await vi.waitFor(() => expect(store.read.all('select 1')).rejects.toMatchObject(refusal), 30_000);
    await admin.read.all(`alter role ${name} connection limit 2`);
    await vi.waitFor(() => store.read.all('select 1'), 30_000);
    await store.close();
  } finally {
    await role.drop();
  }
});
