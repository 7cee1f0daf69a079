// Tests that change the password of the database's role while a store is open.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../logger.ts';
import { HostileRole, openPostgres, type PostgresCluster } from '../testing/index.ts';
import { withClient } from '../testing/postgres-server.ts';
import type { Store } from '../types.ts';
import { openPostgresStore } from './store.ts';

let cluster: PostgresCluster;
let folder: string;
let adminUrl: string;
let role: HostileRole;
let file: string;
let store: Store | undefined;
const said: string[] = [];

beforeAll(async () => {
  cluster = await openPostgres();
  folder = await mkdtemp(join(tmpdir(), 'ledger-ops-credentials-'));
});
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  adminUrl = await cluster.createDatabase();
  role = await HostileRole.create(adminUrl);
  file = join(folder, 'database.url');
  await writeFile(file, role.url);
  said.splice(0);
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  await role?.drop();
});

const readUrl = () => readFile(file, 'utf8');
async function open(maxConnections = 4): Promise<Store> {
  const warn = (fields: Record<string, unknown>, message: string) =>
    void said.push(`${message} ${fields.error ?? ''}`);
  const logger = { ...silentLogger, warn };
  const url = await readUrl();
  store = await openPostgresStore({ url, readUrl, logger, maxConnections });
  return store;
}

const roleName = () => new URL(role.url).username;
const withPassword = (password: string) => Object.assign(new URL(role.url), { password }).href;
const run = (sql: string) => withClient(adminUrl, async (client) => (await client.query(sql)).rows);
const changePassword = (password: string) => run(`alter role ${roleName()} password '${password}'`);
/** Closes the role's connections, except those that are in a transaction. */
const disconnect = () =>
  run(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${roleName()}' and xact_start is null`,
  );
const insert = (to: Store, name: string) =>
  to.transaction((tx) => tx.run('insert into counter (name, value) values ($1, 1)', [name]));
/** Runs work, and repeats it if its connection was just closed, because the first statement then fails. */
const repeated = async (work: () => Promise<unknown>) => {
  for (let left = 8; left > 0; left -= 1) {
    const isDone = await work().then(
      () => true,
      (error) => {
        if (error.native?.startsWith('28') === true) throw error;
        return false;
      },
    );
    if (isDone) return;
  }
  throw new Error('Each connection was tried.');
};

it('the store uses a new password for new connections, and logs the change', async () => {
  const opened = await open();
  await insert(opened, 'before');
  await changePassword('S3CRET');
  await writeFile(file, `${withPassword('S3CRET')}\n`);
  await disconnect();
  await repeated(() => insert(opened, 'after'));
  expect(await opened.read.all('select name from counter order by name')).toEqual([
    { name: 'after' },
    { name: 'before' },
  ]);
  expect(said).toContainEqual(expect.stringContaining('has another role or password'));
  expect(said.join()).not.toContain('S3CRET');
});

it('the store can switch to another role of the same database', async () => {
  const opened = await open();
  const other = await HostileRole.create(adminUrl);
  try {
    await run(`alter role ${roleName()} nologin`);
    await writeFile(file, other.url);
    await disconnect();
    await repeated(() => insert(opened, 'after'));
    const [row] = await opened.read.all<{ name: string }>('select current_user as name');
    expect(row?.name).toBe(new URL(other.url).username);
  } finally {
    await opened.close();
    await other.drop();
  }
});

it('a query waits for a free connection while the credentials file still has the old password', async () => {
  const opened = await open();
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const first = opened.transaction(async (tx) => {
    await tx.run('insert into counter (name, value) values ($1, 1)', ['first']);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  await changePassword('later');
  await disconnect();
  // This query needs a connection, but the idle connections were closed, and new connections are refused.
  const second = repeated(() => insert(opened, 'second'));
  release.resolve();
  await Promise.all([first, second]);
});

it('reports a refused password as wrong credentials, and recovers once the file has the new password', async () => {
  const opened = await open();
  await changePassword('later');
  await disconnect();
  const refusal = {
    code: 'unavailable',
    message: expect.stringContaining(
      'PostgreSQL refuses the role or the password of the database URL (28P01)',
    ),
  };
  await expect(repeated(() => insert(opened, 'x'))).rejects.toMatchObject(refusal);
  await writeFile(file, withPassword('later'));
  await repeated(() => insert(opened, 'x'));
});

it('refuses a credentials file that names another database', async () => {
  const opened = await open();
  await changePassword('later');
  await writeFile(file, Object.assign(new URL(withPassword('later')), { pathname: '/other' }).href);
  await disconnect();
  await expect(repeated(() => insert(opened, 'x'))).rejects.toMatchObject({ native: '28P01' });
  expect(said.join()).toContain('not the database in use');
});
