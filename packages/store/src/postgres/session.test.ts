// Tests that the store works with a role that has the most harmful value of each setting that the store relies on, and
// with a role that may only read and write rows.
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../logger.ts';
import { demandServerRights, migrate, readSchema } from '../schema-of.ts';
import {
  HostileRole,
  harmlessSettings,
  hostileSettings,
  openPostgres,
  type PostgresCluster,
} from '../testing/index.ts';
import type { Store } from '../types.ts';
import { openPostgresStore } from './store.ts';

let cluster: PostgresCluster;
let url: string;
let role: HostileRole;
const stores: Store[] = [];

beforeAll(async () => {
  cluster = await openPostgres();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  url = await cluster.createDatabase();
  role = await HostileRole.create(url);
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await role.drop();
});

async function open(at: string): Promise<Store> {
  const store = await openPostgresStore({ url: at, logger: silentLogger, maxConnections: 2 });
  stores.push(store);
  return store;
}

it.each(hostileSettings)('the store works for a role whose %s is %s', async (name, value) => {
  await role.set(name, value);
  const store = await open(role.url);
  const columns = ['name', 'value'];
  await store.transaction(async (tx) => {
    await tx.insertMany('counter', columns, [[`ü\\'${name}`, 1]]);
    await tx.all('select pg_sleep(0.3)');
  });
  await expect(
    store.transaction((tx) => tx.insertMany('counter', columns, [[`ü\\'${name}`, 1]])),
  ).rejects.toMatchObject({ code: 'constraint' });
  // This tests nulls and bytes in arrays.
  const [row] = await store.read.all<{ nulls: number; bytes: Uint8Array }>(
    `select (select count(*) from unnest($1::text[]) as one where one is null) as nulls, $2::bytea as bytes`,
    ['{NULL,a}', new Uint8Array([0, 92, 255])],
  );
  expect(row).toEqual({ nulls: 1, bytes: new Uint8Array([0, 92, 255]) });
  expect(await store.read.all('select count(*) as n from counter where value = $1', [null])).toEqual([
    { n: 0 },
  ]);
  const plain = await open(url);
  for (const read of [`select current_setting('${name}') as value`, 'show transaction_isolation']) {
    expect(await store.read.all(read)).toEqual(await plain.read.all(read));
  }
  expect(await store.read.all('select name, value from counter')).toEqual([
    { name: `ü\\'${name}`, value: 1 },
  ]);
  // A migration is not subject to the statement timeout.
  expect(await migrate({ url: role.url })).toMatchObject({ pending: [] });
});

it.each([
  ['all hostile settings together', hostileSettings],
  ['settings that connections keep', harmlessSettings],
])('the store works for a role with %s, even on many concurrent connections', async (_, settings) => {
  for (const [name, value] of settings) await role.set(name, value);
  const store = await openPostgresStore({ url: role.url, logger: silentLogger, maxConnections: 8 });
  stores.push(store);
  const work = Array.from({ length: 32 }, (_, index) =>
    store.transaction(async (tx) => {
      await tx.insertMany('counter', ['name', 'value'], [[`counter ${index}`, index]]);
      await tx.all('select pg_sleep(0.02)');
    }),
  );
  await Promise.all(work);
  expect(await store.read.all('select count(*) as n, sum(value) as sum from counter')).toEqual([
    { n: 32, sum: 496 },
  ]);
  expect(await migrate({ url: role.url })).toMatchObject({ pending: [] });
});

it('the store keeps the options of the URL when it turns off a time limit of the role', async () => {
  await role.set('idle_session_timeout', '1');
  const at = new URL(role.url);
  at.searchParams.set('options', '-c work_mem=123kB');
  const store = await open(at.href);
  expect(await store.read.all("select current_setting('work_mem') as memory")).toEqual([{ memory: '123kB' }]);
});

it('refuses a role for which foreign keys are turned off', async () => {
  await role.set('session_replication_role', 'replica');
  const refusal = { code: 'misuse', message: expect.stringContaining('session_replication_role is replica') };
  await expect(open(role.url)).rejects.toMatchObject(refusal);
  await expect(readSchema({ url: role.url })).rejects.toMatchObject(refusal);
});

it('refuses a database whose encoding cannot store every character', async () => {
  const name = `latin_${Math.random().toString(36).slice(2)}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await admin.query(
      `create database ${name} template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'`,
    );
    const latin = Object.assign(new URL(url), { pathname: `/${name}` });
    await expect(open(latin.href)).rejects.toMatchObject({
      code: 'misuse',
      message: expect.stringContaining('is LATIN1'),
    });
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
});

it('if the role may only read and write rows, the error says to migrate as the owner of the schema', async () => {
  const bare = await cluster.createDatabase({ bare: true });
  const weak = await HostileRole.create(bare);
  try {
    await expect(open(weak.url)).rejects.toMatchObject({
      code: 'misuse',
      message: expect.stringContaining('Run migrate with the URL of the role that owns the schema'),
    });
  } finally {
    await weak.drop();
  }
});

it.each([
  [
    'no rights on a table',
    (name: string) => `revoke all on webhook from ${name}`,
    /webhook \(SELECT, INSERT, UPDATE, DELETE\)\. Grant/,
  ],
  [
    'no right to delete',
    (name: string) => `revoke delete on counter, webhook from ${name}`,
    /counter \(DELETE\), webhook \(DELETE\)\. Grant/,
  ],
  [
    'a right on a column',
    (name: string) => `revoke update on counter from ${name}; grant update (value) on counter to ${name}`,
    /counter \(UPDATE\)\. Grant/,
  ],
  ['row-level security', () => 'alter table webhook enable row level security', /webhook\. Turn it off/],
])('refuses a role with %s, and names the tables', async (_, restrict, named) => {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(restrict(new URL(role.url).username)).finally(() => admin.end());
  const refusal = { code: 'misuse', message: expect.stringMatching(named) };
  await expect(open(role.url)).rejects.toMatchObject(refusal);
  await expect(demandServerRights({ url: role.url })).rejects.toMatchObject(refusal);
  // The owner is not restricted.
  await open(url);
});

it('if the role may not use the schema of the installation, the error says how to allow it', async () => {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const name = new URL(role.url).username;
  await admin
    .query(`revoke usage on schema public from ${name}; revoke usage on schema public from public`)
    .finally(() => admin.end());
  for (const schema of [undefined, 'public'])
    await expect(
      openPostgresStore({ url: role.url, schema, logger: silentLogger, maxConnections: 2 }),
    ).rejects.toMatchObject({ message: expect.stringContaining('GRANT USAGE ON SCHEMA "public" TO') });
});
