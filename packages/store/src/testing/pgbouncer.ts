import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './postgres-cluster.ts';
import { until } from './postgres-server.ts';

/** Command that starts PgBouncer; the environment variable PGBOUNCER can name another one. */
const program = process.env.PGBOUNCER ?? 'pgbouncer';

/** Returns the version of PgBouncer, such as `1.25.2`; undefined if it is not installed. */
export function pgBouncerVersion(): string | undefined {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return /PgBouncer (\S+)/.exec(stdout ?? '')?.[1];
}

/** PgBouncer in front of a database. `restart` replaces its process. */
export class PgBouncer {
  readonly #folder: string;
  readonly #port: number;
  readonly #database: string;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number, database: string) {
    this.#folder = folder;
    this.#port = port;
    this.#database = database;
  }

  /** Starts PgBouncer, and waits until it listens. @param settings lines of its section `[pgbouncer]` */
  static async start(databaseUrl: string, settings: readonly string[]): Promise<PgBouncer> {
    const folder = await mkdtemp(join(tmpdir(), 'ledger-ops-pgbouncer-'));
    // The account that PgBouncer runs as must be able to read its settings and to write its log there.
    await chmod(folder, 0o777);
    const { hostname, port, username, password, pathname } = new URL(databaseUrl);
    const database = `host=${hostname} port=${port} user=${username} password=${password} dbname=${pathname.slice(1)}`;
    const bouncer = new PgBouncer(folder, await freePort(), database);
    try {
      await bouncer.restart(settings);
      return bouncer;
    } catch (error) {
      await bouncer.stop();
      throw error;
    }
  }

  /** URL of the database through PgBouncer. */
  get url(): string {
    return `postgres://somebody@127.0.0.1:${this.#port}/pooled`;
  }

  get #logFile(): string {
    return join(this.#folder, 'pgbouncer.log');
  }

  /** Returns the log of PgBouncer, which contains, for example, the connections that it refused. */
  log(): Promise<string> {
    return readFile(this.#logFile, 'utf8');
  }

  /** Ends the process of PgBouncer, and starts it with other settings. */
  async restart(settings: readonly string[]): Promise<void> {
    await this.#end();
    const file = join(this.#folder, 'pgbouncer.ini');
    const own = [
      `listen_addr = 127.0.0.1`,
      `listen_port = ${this.#port}`,
      'unix_socket_dir =',
      'auth_type = any',
      `logfile = ${this.#logFile}`,
    ];
    const lines = ['[databases]', `pooled = ${this.#database}`, '[pgbouncer]', ...own, ...settings];
    await writeFile(file, lines.join('\n'));
    const account = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
    const child = spawn(program, ['-q', ...account, file], { stdio: 'ignore' });
    this.#process = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error('PgBouncer did not start.');
      return await isListening(this.#port);
    });
  }

  /** Occupies a connection with a session, as another program would do. The caller must end the session. */
  async occupy(): Promise<{ end(): Promise<void> }> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Restarts PgBouncer with a single connection, repeatedly until another program has this connection, and not one of
   * the former clients. The caller must end the other program's session.
   * @param settings lines of its section `[pgbouncer]`
   */
  async restartFull(settings: readonly string[]): Promise<{ end(): Promise<void> }> {
    for (let left = 50; left > 0; left -= 1) {
      await this.restart([...settings, 'max_client_conn = 1']);
      const other = await this.occupy().catch(() => undefined);
      if (other !== undefined) return other;
    }
    throw new Error('Another client always took the connection.');
  }

  async stop(): Promise<void> {
    await this.#end();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

async function isListening(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
