import { execFileSync } from 'node:child_process';
import { appendFile, chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from './postgres-cluster.ts';
import { findOwner, findPostgresPrograms, noPostgresPrograms, runProgram } from './postgres-programs.ts';
import {
  endServer,
  hostOf,
  initialise,
  initialiseInstalled,
  password,
  runServer,
  type Server,
  until,
  urlOf,
  withClient,
} from './postgres-server.ts';

/** This setting is required by pg_rewind. */
const settings = ['wal_log_hints=on'];
/** Name of a table that exists only in a former primary. */
const mistake = 'made_by_mistake';

/**
 * A PostgreSQL primary with one standby and streaming replication.
 *
 * When the primary is killed, the promoted standby becomes the primary.
 */
export class ReplicatedPostgres {
  readonly #root: string;
  readonly #bin: string;
  readonly #ports: readonly [number, number];
  readonly #isSynchronous: boolean;
  #copies = 0;
  #primary: Server;
  #standby: Server | undefined;
  /** Former primaries that are still running. */
  readonly #former: Server[] = [];

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

  /** Starts both servers, with an empty database. @param isSynchronous whether commits wait for the standby */
  static async start(isSynchronous: boolean): Promise<ReplicatedPostgres> {
    return await ReplicatedPostgres.#start(isSynchronous, initialise);
  }

  /**
   * Starts both servers of an installed PostgreSQL, which `rejoin` needs. @throws Error if PostgreSQL is not installed
   */
  static async startInstalled(isSynchronous: boolean): Promise<ReplicatedPostgres> {
    const bin = findPostgresPrograms();
    if (bin === undefined) throw new Error(noPostgresPrograms);
    return await ReplicatedPostgres.#start(isSynchronous, async (folder, port) => {
      const owner = await findOwner();
      await chown(dirname(folder), owner.uid, owner.gid);
      await initialiseInstalled(bin, folder, owner);
      const server = await runServer(bin, folder, port);
      await withClient(urlOf(hostOf(port), 'postgres'), (client) =>
        client.query('create database ledger_ops'),
      );
      await endServer(server, 'SIGINT');
      return bin;
    });
  }

  /** @param create creates the cluster with its database, and returns the folder of PostgreSQL's programs */
  static async #start(isSynchronous: boolean, create: typeof initialise): Promise<ReplicatedPostgres> {
    const root = await mkdtemp(join(tmpdir(), 'ledger-ops-replicated-'));
    // The account that PostgreSQL runs as must be able to enter the folder.
    await chmod(root, 0o755);
    const folder = join(root, 'first');
    const ports = [await freePort(), await freePort()] as const;
    const bin = await create(folder, ports[0]);
    const server = await runServer(bin, folder, ports[0], settings);
    const pair = new ReplicatedPostgres(root, bin, ports, isSynchronous, server);
    try {
      await pair.addStandby();
      return pair;
    } catch (error) {
      await pair.stop();
      throw error;
    }
  }

  /** Database URL with both hosts. */
  get url(): string {
    return urlOf(this.#ports.map(hostOf).join(','));
  }

  /** Adds a standby on the port that is free, and waits until it is synchronized. */
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
    await appendFile(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${this.#source}'\n`);
    await this.#startStandby(folder, port);
  }

  /**
   * Makes the killed former primary a standby of its successor, with pg_rewind. Before that, starts the former primary
   * as if by mistake, and creates a table in it that the successor lacks.
   */
  async rejoin(): Promise<void> {
    const former = this.#former.pop();
    if (former === undefined) throw new Error('There is no former primary.');
    const { folder, port } = former;
    const alone = await runServer(this.#bin, folder, port, settings);
    await withClient(urlOf(hostOf(port)), async (client) => {
      await client.query('set synchronous_commit = local');
      await client.query(`create table ${mistake} ()`);
    });
    await endServer(alone, 'SIGINT');
    // Before version 16, pg_rewind reads the timeline of the last checkpoint. Without a new checkpoint, that would be
    // the timeline before the promotion.
    await withClient(urlOf(hostOf(this.#primary.port), 'postgres'), (client) => client.query('checkpoint'));
    await runProgram(
      join(this.#bin, 'pg_rewind'),
      [
        ...['--target-pgdata', folder, '--source-server', `${this.#source} dbname=postgres`],
        ...['--no-sync', '--write-recovery-conf'],
      ],
      { owner: await findOwner() },
    );
    await this.#startStandby(folder, port);
    await withClient(urlOf(hostOf(port)), async (client) => {
      const { rows } = await client.query(`select to_regclass('${mistake}') as found`);
      if (rows[0].found !== null)
        throw new Error('pg_rewind did not remove the table that only the former primary had.');
    });
  }

  /** Connection string with which a standby connects to the primary. */
  get #source(): string {
    return `host=127.0.0.1 port=${this.#primary.port} user=postgres password=${password} application_name=standby`;
  }

  /** Starts a standby, and waits until it is synchronized. */
  async #startStandby(folder: string, port: number): Promise<void> {
    this.#standby = await runServer(this.#bin, folder, port, settings);
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

  /** Prevents the standby from receiving changes, as if the network were down. */
  async disconnectStandby(): Promise<void> {
    const { port } = this.#demandStandby();
    await withClient(urlOf(hostOf(port), 'postgres'), async (client) => {
      await client.query("alter system set primary_conninfo = ''");
      await client.query('select pg_reload_conf()');
    });
  }

  /** Makes the running primary read-only with its configuration, or writable again. */
  async setReadOnly(isReadOnly: boolean): Promise<void> {
    await withClient(urlOf(hostOf(this.#primary.port), 'postgres'), async (client) => {
      await client.query('set default_transaction_read_only = off');
      await client.query(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
      await client.query('select pg_reload_conf()');
    });
  }

  /** Kills the primary with SIGKILL, and promotes the standby. */
  async failOver(): Promise<void> {
    await this.stopPrimary('SIGKILL');
    await this.promote();
  }

  async stopPrimary(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    await endServer(this.#primary, signal);
  }

  /** Promotes the standby to be the primary. The former primary may still be running. */
  async promote(): Promise<void> {
    const standby = this.#demandStandby();
    this.#former.push(this.#primary);
    await withClient(urlOf(hostOf(standby.port), 'postgres'), (client) =>
      client.query('select pg_promote()'),
    );
    this.#primary = standby;
    this.#standby = undefined;
    await this.#setSynchronous(standby, false);
  }

  async stop(): Promise<void> {
    for (const server of [this.#standby, this.#primary, ...this.#former])
      if (server !== undefined) await endServer(server, 'SIGINT');
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
