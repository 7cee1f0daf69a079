import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parseTarget } from '../postgres/connection.ts';
import { migratePostgres } from '../postgres/migrate.ts';
import { defaultTiming } from '../timing.ts';
import { EmbeddedPostgres } from './embedded-postgres.ts';
import { findPostgresObstacle } from './postgres-user.ts';

/** A real PostgreSQL that runs until the test process ends. */
export interface PostgresCluster {
  /** Creates an empty database with the current schema, or without a schema if `bare` is set, and returns its URL. */
  createDatabase(options?: { readonly bare?: boolean }): Promise<string>;
  /** Copies a database that nobody uses, as if its dump was restored. Returns the copy's URL. */
  copyDatabase(url: string): Promise<string>;
  /** Takes a database back for reuse. It must have been created with the schema, and must no longer be in use. */
  reuseDatabase(url: string): void;
  stop(): Promise<void>;
}

/** A cluster that this process started. Other processes may also use it. */
export interface OwnPostgresCluster extends PostgresCluster {
  /** URL of a superuser's session, for calls of `useCluster` in other processes. */
  readonly adminUrl: string;
}

/**
 * Source of a process that kills the cluster and removes its data if this process ends without stopping the cluster,
 * even if it was killed with SIGKILL.
 */
const guard = `
const { readFileSync, rmSync } = require('node:fs');
const dir = process.argv[1];
process.stdin.resume();
process.stdin.on('close', () => {
  try { process.kill(Number(readFileSync(dir + '/postmaster.pid', 'utf8').split('\\n')[0]), 'SIGQUIT'); } catch {}
  setTimeout(() => rmSync(dir, { recursive: true, force: true }), 300);
});`;

const template = 'store_template';

/**
 * Number of attempts to start. An attempt fails if another cluster takes the free port before this one listens on it.
 */
const tries = 3;

/**
 * Starts a cluster in a temporary folder, which takes about a second. Throws if it cannot be started, so that tests
 * fail and are not skipped.
 */
export async function startPostgresCluster(): Promise<OwnPostgresCluster> {
  const obstacle = findPostgresObstacle();
  if (obstacle !== undefined) throw new Error(obstacle);
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await startOnce();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** Creates databases in a running cluster. `stop` drops these databases, but leaves the cluster running. */
export async function useCluster(adminUrl: string): Promise<PostgresCluster> {
  const databases = await openDatabases(adminUrl);
  return {
    createDatabase: databases.create,
    copyDatabase: databases.copy,
    reuseDatabase: databases.reuseDatabase,
    async stop() {
      await databases.drop();
      await databases.close();
    },
  };
}

interface Databases {
  create(options?: { readonly bare?: boolean }): Promise<string>;
  copy(url: string): Promise<string>;
  reuseDatabase(url: string): void;
  /** Drops the databases that were created here. */
  drop(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Script that disconnects all clients and deletes all rows, except those of the migrations. Creating a database would
 * take ten times as long.
 */
const emptying = `
select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
do $$
declare
  one text;
  is_used boolean;
begin
  for one in select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migration' loop
    execute format('select exists (select from %I)', one) into is_used;
    if is_used then execute format('delete from %I', one); end if;
  end loop;
end $$`;

async function openDatabases(adminUrl: string): Promise<Databases> {
  const admin = await connect(adminUrl);
  const made: string[] = [];
  const used: string[] = [];
  /** Connections for emptying databases, by URL of the database. */
  const emptiers = new Map<string, pg.Client>();
  const prefix = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  return {
    async create({ bare = false } = {}) {
      const url = bare ? undefined : used.pop();
      if (url !== undefined) {
        const emptier = emptiers.get(url) ?? (await connect(url));
        emptiers.set(url, emptier);
        await emptier.query(emptying);
        return url;
      }
      const name = `${prefix}_${made.length}`;
      made.push(name);
      const source = bare ? 'template0' : template;
      // Copying files takes half the time of the default strategy, which logs every page.
      await admin.query(`create database ${name} template ${source} strategy file_copy`);
      return databaseUrl(adminUrl, name);
    },
    async copy(url) {
      const name = `${prefix}_${made.length}`;
      made.push(name);
      await admin.query(`create database ${name} template ${new URL(url).pathname.slice(1)}`);
      return databaseUrl(adminUrl, name);
    },
    reuseDatabase: (url) => void used.push(url),
    async drop() {
      await Promise.all([...emptiers.values()].map((emptier) => emptier.end()));
      for (const name of made.splice(0)) await admin.query(`drop database if exists ${name} with (force)`);
    },
    close: () => admin.end(),
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A broken connection makes the next statement fail, so this error can be ignored.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function makeTemplate(adminUrl: string): Promise<void> {
  const admin = await connect(adminUrl);
  await admin.query(`create database ${template}`);
  await admin.end();
  await migratePostgres(parseTarget({ url: databaseUrl(adminUrl, template) }, defaultTiming), {
    admission: 'server',
  });
}

async function startOnce(): Promise<OwnPostgresCluster> {
  const folder = join(tmpdir(), `ledger-ops-postgres-${process.pid}-${randomBytes(4).toString('hex')}`);
  const watcher = spawn(process.execPath, ['-e', guard, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
  });
  watcher.unref();
  const password = randomBytes(12).toString('hex');
  const output: string[] = [];
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: true,
    // The password is random, so a costly key derivation for each connection is not needed.
    initdbFlags: ['--encoding=UTF8', '--no-locale', '--no-sync', '--set=scram_iterations=1'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      // Test data does not have to survive a crash of the machine.
      ...['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'],
      ...['-c', 'autovacuum=off', '-c', 'wal_level=minimal', '-c', 'max_wal_senders=0'],
      ...['-c', 'max_connections=400', '-c', 'shared_buffers=64MB'],
    ],
    onLog: (message) => output.push(String(message)),
    onError: (message) => output.push(String(message)),
  });
  const adminUrl = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  let databases: Databases | undefined;
  const stop = async () => {
    await databases?.close().catch(() => undefined);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    watcher.stdin.destroy();
  };
  try {
    await server.initialise();
    await server.start();
    await makeTemplate(adminUrl);
    databases = await openDatabases(adminUrl);
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL for tests did not start:\n${output.join('')}`, { cause: error });
  }
  const { create: createDatabase, copy: copyDatabase, reuseDatabase } = databases;
  return { adminUrl, createDatabase, copyDatabase, reuseDatabase, stop };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
