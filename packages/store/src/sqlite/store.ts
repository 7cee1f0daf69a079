import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Counters } from '../counters.ts';
import { StoreError } from '../errors.ts';
import { checkNotification, createListeners } from '../listeners.ts';
import type { StoreLogger } from '../logger.ts';
import { measured, type StoreMeter } from '../meter.ts';
import { buildCatalogue } from '../schema/catalogue.ts';
import { sqliteDialect } from '../schema/dialect.ts';
import { buildTables } from '../schema/index.ts';
import { createScopeTracker } from '../scope.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import type { Store } from '../types.ts';
import { openConnections } from './connections.ts';
import { createGroupCommit } from './group-commit.ts';
import { IdleCheckpoint } from './idle-checkpoint.ts';
import { type FileLock, lockFile } from './lock.ts';
import { refuseLostFile } from './lost-file.ts';
import { createQueries, type StatementScope } from './queries.ts';
import { createStatements } from './statements.ts';

export interface SqliteStoreOptions {
  /** Path of the database. If the file or its folder is missing, it is created, and only this user can access it. */
  readonly file: string;
  /** Version of Ledger Operations. */
  readonly version?: string | undefined;
  readonly logger: StoreLogger;
  readonly meter?: StoreMeter | undefined;
  /**
   * Whether commits survive a power loss; default: yes. Tests set it to false, so that they do not wait for the disk.
   */
  readonly durable?: boolean;
  /** Maximum number of callers that share a commit. Default: 256. */
  readonly maxCallers?: number;
  /** Values that replace those of `defaultTiming`. */
  readonly timing?: Partial<Timing>;
}

/** Opens, locks and migrates a SQLite database. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const file = resolve(options.file);
  await refuseLostFile(file);
  await createPrivately(file);
  const lock = lockFile(file);
  try {
    return await openLocked(file, lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openLocked(file: string, lock: FileLock, options: SqliteStoreOptions): Promise<Store> {
  const timing = { ...defaultTiming, ...options.timing };
  const { writer, reader } = await openConnections(file, timing, options.durable ?? true, options.version);
  const { logger, meter } = options;
  const tables = buildTables(sqliteDialect);
  const catalogue = buildCatalogue();
  const listeners = createListeners(logger);
  const commits = createGroupCommit(writer, tables, catalogue, createScopeTracker(), logger, {
    maxCallers: options.maxCallers ?? 256,
    timing,
    meter,
  });
  const checkpoint = new IdleCheckpoint(writer, timing.checkpoint, logger);
  // Opening the store may have migrated the schema, which is a commit, too.
  checkpoint.committed();
  let closing: Promise<void> | undefined;
  const readScope: StatementScope = {
    lastStatement: 'none',
    check() {
      if (!reader.open) throw new StoreError('misuse', 'The store is closed.');
    },
    fail: (error) => error,
  };

  const read = createQueries(
    createStatements(reader),
    tables,
    catalogue,
    readScope,
    meter && ((ms, isDone) => meter.took('read', ms, isDone)),
  );
  const counters = new Counters(read, commits.ended);

  return {
    dialect: 'sqlite',
    where: file,
    read,
    async transaction(work) {
      try {
        return await measured(meter, 'transaction', () => commits.transaction(work));
      } finally {
        if (closing === undefined) checkpoint.committed();
      }
    },
    ended: commits.ended,
    counter: (name) => counters.value(name),
    now: async () => Date.now(),
    notify(topic, payload = '') {
      checkNotification(topic, payload);
      listeners.emit(topic, payload);
    },
    listen: listeners.add,
    close() {
      closing ??= commits.close().then(() => {
        checkpoint.close();
        // The parts are closed in reverse order, even if closing one of them fails. On a full disk, for example, the
        // checkpoint fails.
        const parts = new DisposableStack();
        parts.defer(() => lock.release());
        parts.defer(() => writer.close());
        // This removes erased secrets from the write-ahead log.
        parts.defer(() => writer.pragma('wal_checkpoint(TRUNCATE)'));
        parts.defer(() => reader.close());
        parts.dispose();
      });
      return closing;
    },
  };
}

async function createPrivately(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    for (const path of [file, `${file}.lock`]) {
      const handle = await open(path, 'a', 0o600);
      await handle.close();
    }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new StoreError(
      'unavailable',
      `The database file ${file} cannot be opened for writing (${reason}).`,
      { native: reason === 'ENOSPC' ? 'SQLITE_FULL' : 'SQLITE_CANTOPEN' },
    );
  }
}
