import { appendFile, chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './postgres-cluster.ts';
import {
  findOwner,
  findPostgresPrograms,
  noPostgresPrograms,
  type Owner,
  runProgram,
} from './postgres-programs.ts';
import {
  endServer,
  hostOf,
  initialiseInstalled,
  password,
  runServer,
  type Server,
  until,
  urlOf,
  withClient,
} from './postgres-server.ts';

/**
 * An installed PostgreSQL with which a test can restore an earlier state: by recovering a base backup and the archived
 * log up to a point in time, or by restoring a dump into another database.
 *
 * Base backups, dumps and the archive are in one folder.
 */
export class RecoverablePostgres {
  readonly #root: string;
  readonly #bin: string;
  readonly #owner: Owner;
  #server: Server;
  #database = 'ledger_ops';
  #made = 0;
  #base: string | undefined;
  #dump: string | undefined;

  private constructor(root: string, bin: string, owner: Owner, server: Server) {
    this.#root = root;
    this.#bin = bin;
    this.#owner = owner;
    this.#server = server;
  }

  /** Starts PostgreSQL with an empty database. @throws Error if PostgreSQL is not installed */
  static async start(): Promise<RecoverablePostgres> {
    const bin = findPostgresPrograms();
    if (bin === undefined) throw new Error(noPostgresPrograms);
    const owner = await findOwner();
    const root = await mkdtemp(join(tmpdir(), 'ledger-ops-recoverable-'));
    await chown(root, owner.uid, owner.gid);
    await mkdir(join(root, 'archive'));
    await chown(join(root, 'archive'), owner.uid, owner.gid);
    const folder = join(root, 'data');
    await initialiseInstalled(bin, folder, owner);
    const server = await runServer(bin, folder, await freePort(), archiving(root));
    const postgres = new RecoverablePostgres(root, bin, owner, server);
    await postgres.asAdministrator((client) => client.query(`create database ${postgres.#database}`));
    return postgres;
  }

  /** URL of the current database. */
  get url(): string {
    return urlOf(hostOf(this.#server.port), this.#database);
  }

  /** Makes a base backup, which replaces the previous one. The server may be in use. */
  async backUp(): Promise<void> {
    const folder = this.#nextFolder('base');
    await this.#run('pg_basebackup', ['--pgdata', folder, '--checkpoint=fast', '--wal-method=fetch']);
    if (this.#base !== undefined) await rm(this.#base, { recursive: true });
    this.#base = folder;
  }

  /** Returns the server's current time, which can be passed to `recoverTo`. */
  async now(): Promise<string> {
    return await this.asAdministrator(async (client) => {
      const { rows } = await client.query('select clock_timestamp()::text as at');
      return String(rows[0].at);
    });
  }

  /** Replaces the server with the base backup and all changes up to the given time. */
  async recoverTo(time: string): Promise<void> {
    if (this.#base === undefined) throw new Error('There is no base backup.');
    await this.#archiveAll();
    const { port, folder: before } = this.#server;
    await endServer(this.#server, 'SIGINT');
    const folder = this.#nextFolder('data');
    await cp(this.#base, folder, { recursive: true });
    await appendFile(
      join(folder, 'postgresql.auto.conf'),
      [
        `restore_command = 'cp ${join(this.#root, 'archive')}/%f %p'`,
        `recovery_target_time = '${time}'`,
        "recovery_target_action = 'promote'\n",
      ].join('\n'),
    );
    await writeFile(join(folder, 'recovery.signal'), '');
    await runProgram('chown', ['--recursive', `${this.#owner.uid}:${this.#owner.gid}`, folder], {
      owner: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    });
    await chmod(folder, 0o700);
    this.#server = await runServer(this.#bin, folder, port, archiving(this.#root));
    await this.asAdministrator((client) =>
      until(async () => {
        const { rows } = await client.query('select pg_is_in_recovery() as recovers');
        return rows[0].recovers === false;
      }),
    );
    await rm(before, { recursive: true });
  }

  /** Dumps the current database. The dump replaces the previous one. The database may be in use. */
  async dump(): Promise<void> {
    const file = this.#nextFolder('dump');
    await this.#run('pg_dump', ['--format=custom', '--file', file, this.#database]);
    if (this.#dump !== undefined) await rm(this.#dump);
    this.#dump = file;
  }

  /**
   * Restores the last dump into a new database, which then becomes the current one. The former database is not changed.
   */
  async restoreDump(): Promise<void> {
    this.#database = await this.#restore();
  }

  /**
   * Restores the last dump into a new database, and returns its URL. The current database does not change, and may be
   * in use.
   */
  async restoreCopy(): Promise<string> {
    return urlOf(hostOf(this.#server.port), await this.#restore());
  }

  async #restore(): Promise<string> {
    if (this.#dump === undefined) throw new Error('There is no dump.');
    this.#made += 1;
    const database = `ledger_ops_restored_${this.#made}`;
    await this.asAdministrator((client) => client.query(`create database ${database}`));
    await this.#run('pg_restore', ['--no-owner', '--exit-on-error', '--dbname', database, this.#dump]);
    return database;
  }

  /** Runs statements as a superuser, in the database `postgres`. */
  asAdministrator<T>(work: Parameters<typeof withClient<T>>[1]): Promise<T> {
    return withClient(urlOf(hostOf(this.#server.port), 'postgres'), work);
  }

  async stop(): Promise<void> {
    await endServer(this.#server, 'SIGINT');
    await rm(this.#root, { recursive: true, force: true });
  }

  /**
   * Commits a transaction that has an id, and archives the log up to it. A recovery to a point in time stops at the
   * first commit after that time, and fails if there is none. A restore point is not sufficient.
   */
  async #archiveAll(): Promise<void> {
    await this.asAdministrator(async (client) => {
      await client.query('select pg_current_xact_id()');
      const { rows } = await client.query('select pg_walfile_name(pg_switch_wal()) as name');
      const last = String(rows[0].name);
      await until(async () => {
        const { rows: archived } = await client.query(
          'select last_archived_wal as name from pg_stat_archiver',
        );
        return String(archived[0].name) >= last;
      });
    });
  }

  #nextFolder(name: string): string {
    this.#made += 1;
    return join(this.#root, `${name}-${this.#made}`);
  }

  #run(program: string, args: readonly string[]): Promise<void> {
    return runProgram(
      join(this.#bin, program),
      ['--host=127.0.0.1', `--port=${this.#server.port}`, '--username=postgres', ...args],
      { owner: this.#owner, environment: { PGPASSWORD: password } },
    );
  }
}

const archiving = (root: string) => [
  ...['wal_level=replica', 'max_wal_senders=4', 'archive_mode=on'],
  `archive_command=cp %p ${join(root, 'archive')}/%f`,
];
