import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { freePort } from './postgres-cluster.ts';
import {
  endServer,
  hostOf,
  initialise,
  runServer,
  type Server,
  urlOf,
  withClient,
} from './postgres-server.ts';

/** A role with asynchronous commits: a crash loses the commits of the last ten seconds. */
const role = 'careless';
const settings = ['wal_writer_delay=10s', 'autovacuum=off'];

/**
 * A PostgreSQL that a test crashes, with a role whose `synchronous_commit` is off.
 *
 * Stores the running server; after `crash`, the server that has ended.
 */
export class CrashingPostgres {
  readonly #root: string;
  readonly #bin: string;
  #server: Server;

  private constructor(root: string, bin: string, server: Server) {
    this.#root = root;
    this.#bin = bin;
    this.#server = server;
  }

  /** Starts it with an empty database, which the role owns. */
  static async start(): Promise<CrashingPostgres> {
    const root = await mkdtemp(join(tmpdir(), 'ledger-ops-crashing-'));
    // PostgreSQL's own account must be able to enter the folder.
    await chmod(root, 0o755);
    const folder = join(root, 'data');
    const port = await freePort();
    const bin = await initialise(folder, port);
    const postgres = new CrashingPostgres(root, bin, await runServer(bin, folder, port, settings));
    await postgres.asAdministrator(async (client) => {
      await client.query(`create role ${role} login password '${role}'`);
      await client.query(`alter role ${role} set synchronous_commit = off`);
      await client.query(`alter database ledger_ops owner to ${role}`);
      // The role and its setting are durable.
      await client.query('checkpoint');
    });
    return postgres;
  }

  /** URL of the role. */
  get url(): string {
    const url = new URL(urlOf(hostOf(this.#server.port)));
    url.username = role;
    url.password = role;
    return url.href;
  }

  /** Runs statements as a superuser, in the same database. */
  async asAdministrator<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return await withClient(urlOf(hostOf(this.#server.port)), work);
  }

  /** Immediate shutdown: ends all of the server's processes without writing anything. */
  async crash(): Promise<void> {
    await endServer(this.#server, 'SIGQUIT');
  }

  /** Starts it again after a crash, on the same port. @param more settings: `name=value` */
  async restart(more: readonly string[] = []): Promise<void> {
    const { folder, port } = this.#server;
    this.#server = await runServer(this.#bin, folder, port, [...settings, ...more]);
  }

  async stop(): Promise<void> {
    await endServer(this.#server, 'SIGINT');
    await rm(this.#root, { recursive: true, force: true });
  }
}
