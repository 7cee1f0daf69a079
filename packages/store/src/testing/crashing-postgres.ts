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

/** A role whose commits are asynchronous: a crash can lose its most recent commits. */
const role = 'careless';
const settings = ['wal_writer_delay=10s', 'autovacuum=off'];

/**
 * A PostgreSQL that a test crashes, with a role whose `synchronous_commit` is off.
 *
 * It is running until `crash`, and again after `restart`.
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

  /** Starts the server with an empty database that the role owns. */
  static async start(): Promise<CrashingPostgres> {
    const root = await mkdtemp(join(tmpdir(), 'ledger-ops-crashing-'));
    // The account that PostgreSQL runs as must be able to enter the folder.
    await chmod(root, 0o755);
    const folder = join(root, 'data');
    const port = await freePort();
    const bin = await initialise(folder, port);
    const postgres = new CrashingPostgres(root, bin, await runServer(bin, folder, port, settings));
    await postgres.asAdministrator(async (client) => {
      await client.query(`create role ${role} login password '${role}'`);
      await client.query(`alter role ${role} set synchronous_commit = off`);
      await client.query(`alter database ledger_ops owner to ${role}`);
      // With this checkpoint, the role and its setting are durable.
      await client.query('checkpoint');
    });
    return postgres;
  }

  /** URL with which the role connects. */
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

  /** Shuts the server down immediately: ends all of its processes without writing anything. */
  async crash(): Promise<void> {
    await endServer(this.#server, 'SIGQUIT');
  }

  /** Starts the server again on the same port after a crash. @param more settings of the form `name=value` */
  async restart(more: readonly string[] = []): Promise<void> {
    const { folder, port } = this.#server;
    this.#server = await runServer(this.#bin, folder, port, [...settings, ...more]);
  }

  async stop(): Promise<void> {
    await endServer(this.#server, 'SIGINT');
    await rm(this.#root, { recursive: true, force: true });
  }
}
