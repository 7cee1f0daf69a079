// Tests for the schema of an installation: the one that the deployer names or, by default, the first one of the search
// path.
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../logger.ts';
import { openAlone } from '../open-alone.ts';
import { openSnapshot } from '../open-snapshot.ts';
import { migrate, readSchema } from '../schema-of.ts';
import { openPostgres, type PostgresCluster } from '../testing/index.ts';
import { openPostgresStore } from './store.ts';

let cluster: PostgresCluster;
let url: string;

beforeAll(async () => {
  cluster = await openPostgres();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  url = await cluster.createDatabase({ bare: true });
});

const open = (schema?: string, more = '') =>
  openPostgresStore({ url: `${url}${more}`, schema, logger: silentLogger, maxConnections: 2 });

async function run(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

const tablesIn = (schema: string) =>
  `select count(*) as n from pg_tables where schemaname = '${schema}' and tablename in ('action', 'schema_migration')`;

it('creates the named schema and uses only that schema, even if the URL names another one', async () => {
  await run('create schema other; create table other.counter (wrong text)');
  const store = await open('app', '?options=-c%20search_path%3Dother');
  expect(store.where).toMatch(/^127\.0\.0\.1:\d+\/\w+, schema app$/);
  await store.transaction((tx) => tx.run('insert into counter (name, value) values ($1, 1)', ['x']));
  expect(await store.read.all("select current_setting('search_path') as path")).toEqual([{ path: '"app"' }]);
  expect(await store.read.all(tablesIn('app'))).toEqual([{ n: 2 }]);
  expect(await store.read.all(tablesIn('public'))).toEqual([{ n: 0 }]);
  await store.close();
  const snapshot = await openSnapshot({ url, schema: 'app' });
  expect(await snapshot.read.all('select name from counter')).toEqual([{ name: 'x' }]);
  await snapshot.close();
  const alone = await openAlone({ url, schema: 'app' });
  expect(await alone.read.all('select name from counter')).toEqual([{ name: 'x' }]);
  await alone.close();
});

it('the store uses schemas whose names need quotes', async () => {
  const store = await open('My-Schema');
  expect(await store.read.all('select current_schema() as schema')).toEqual([{ schema: 'My-Schema' }]);
  await store.close();
});

it('refuses to create an installation if another schema contains one, and names that schema', async () => {
  await (await open('app')).close();
  const refused = {
    code: 'other-schema',
    message: expect.stringMatching(
      /^There is no installation in .*, schema public, but there is one in schema app of the same database\. Set DATABASE_SCHEMA=app/,
    ),
  };
  await expect(open()).rejects.toMatchObject(refused);
  for (const refuse of [openAlone, openSnapshot, migrate, readSchema]) {
    await expect(refuse({ url })).rejects.toMatchObject(refused);
  }
  await expect(open('typo')).rejects.toMatchObject({ code: 'other-schema' });
  // The refused starts have not created anything.
  await expect(open()).rejects.toMatchObject(refused);
});

it('refuses a search path that begins with a schema other than the installation’s', async () => {
  await (await open()).close();
  await run('create schema app');
  await expect(open(undefined, '?options=-c%20search_path%3Dapp%2Cpublic')).rejects.toMatchObject({
    code: 'other-schema',
    message: expect.stringContaining('Set DATABASE_SCHEMA=public'),
  });
});

it('the store keeps its schema when the search path of the role changes while it runs', async () => {
  const store = await open();
  await run('create schema app');
  const [role] = await store.read.all<{ name: string }>('select current_database() as name');
  await run(`alter database ${role?.name} set search_path = app`);
  await store.read.all(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await Promise.all(
    Array.from({ length: 4 }, () =>
      expect
        .poll(() => store.read.all('select current_schema() as schema').catch(() => 'broken'))
        .toEqual([{ schema: 'public' }]),
    ),
  );
  await store.close();
});

it('if the role may not create the schema, the error says how to create it', async () => {
  await run(
    "do $$ begin if not exists (select from pg_roles where rolname = 'poor') then create role poor login password 'poor'; end if; end $$",
  );
  const poor = new URL(url);
  poor.username = 'poor';
  poor.password = 'poor';
  const store = openPostgresStore({ url: poor.href, schema: 'app', logger: silentLogger });
  await expect(store).rejects.toMatchObject({
    code: 'misuse',
    message: expect.stringContaining('Create it: CREATE SCHEMA "app" AUTHORIZATION "poor".'),
  });
});
