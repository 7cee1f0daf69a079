import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgres } from './embedded-postgres.ts';
import { type Owner, runProgram } from './postgres-programs.ts';

/** A PostgreSQL server with its own folder, port and process. */
export interface Server {
  readonly folder: string;
  readonly port: number;
  readonly process: ChildProcess;
}

const database = 'ledger_ops';
export const password = 'replicated';
export const urlOf = (hosts: string, name = database) => `postgres://postgres:${password}@${hosts}/${name}`;
export const hostOf = (port: number) => `127.0.0.1:${port}`;

/** Creates a cluster that contains the database. Returns the folder of PostgreSQL's programs. */
export async function initialise(folder: string, port: number): Promise<string> {
  const cluster = new EmbeddedPostgres({
    ...{ databaseDir: folder, port, user: 'postgres', password, persistent: true, createPostgresUser: true },
    initdbFlags: ['--encoding=UTF8', '--no-locale', '--no-sync', '--set=scram_iterations=1'],
    ...{ onLog: () => undefined, onError: () => undefined },
  });
  await cluster.initialise();
  await cluster.start();
  try {
    await cluster.createDatabase(database);
    return await withClient(urlOf(hostOf(port), 'postgres'), async (client) => {
      const { rows } = await client.query("select setting from pg_config where name = 'BINDIR'");
      return String(rows[0].setting);
    });
  } finally {
    await cluster.stop();
  }
}

/** Creates a cluster of an installed PostgreSQL, without the database. @param bin folder of PostgreSQL's programs */
export async function initialiseInstalled(bin: string, folder: string, owner: Owner): Promise<void> {
  const secret = `${folder}.password`;
  await writeFile(secret, password, { mode: 0o644 });
  const settings = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${secret}`];
  await runProgram(
    join(bin, 'initdb'),
    ['--pgdata', folder, '--encoding=UTF8', '--no-locale', '--no-sync', ...settings],
    { owner },
  );
  await rm(secret);
}

/**
 * Runs a server as the owner of its folder, and waits until it accepts connections.
 * @param more settings of the form `name=value`
 */
export async function runServer(
  bin: string,
  folder: string,
  port: number,
  more: readonly string[] = [],
): Promise<Server> {
  const { uid, gid } = await stat(folder);
  const settings = [
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'autovacuum=off'],
    ...['max_connections=100', 'shared_buffers=32MB', 'wal_keep_size=256MB', 'hot_standby=on'],
    ...more,
  ];
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', folder, '-p', String(port), ...settings.flatMap((one) => ['-c', one])],
    { uid, gid, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = `${output}${chunk.toString()}`.slice(-4_000);
  });
  const server = { folder, port, process: child };
  await until(() =>
    withClient(urlOf(hostOf(port), 'postgres'), async (client) => {
      await client.query('select 1');
      return true;
    }).catch(() => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${output}`);
      return false;
    }),
  );
  return server;
}

export async function endServer(
  { process: child }: Server,
  signal: 'SIGKILL' | 'SIGINT' | 'SIGQUIT',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Repeats a check until it succeeds, for at most a minute. */
export async function until(isDone: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + 60_000;
  while (!(await isDone())) {
    if (performance.now() > limit) throw new Error('PostgreSQL did not get ready within a minute.');
    await delay(50);
  }
}
