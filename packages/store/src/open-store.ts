import { StoreError } from './errors.ts';
import { type StoreLogger, silentLogger } from './logger.ts';
import type { StoreMeter } from './meter.ts';
import { openPostgresStore } from './postgres/store.ts';
import { openSqliteStore } from './sqlite/store.ts';
import type { Store } from './types.ts';

export interface OpenStoreOptions {
  /**
   * `postgres://user:password@host:port/database?sslmode=…`, in one of libpq's forms. Any number of servers can share
   * the database.
   */
  readonly url?: string | undefined;
  /**
   * PostgreSQL: reads the URL again after PostgreSQL refused the role or its password. Only the role and the password
   * of the new URL may differ. Undefined if the URL never changes.
   */
  readonly readUrl?: (() => Promise<string>) | undefined;
  /**
   * PostgreSQL: schema of the installation, which is created if it is missing. Default: the first schema of the role's
   * search path.
   */
  readonly schema?: string | undefined;
  /** Path of a SQLite file, which only one server can use. Ignored if `url` is set. */
  readonly file?: string | undefined;
  /**
   * Version of Ledger Operations. Stored with each migration that this version applies, so that an older version can
   * tell which version is required.
   */
  readonly version?: string | undefined;
  /**
   * PostgreSQL: maximum number of connections of this server, not counting the one that listens for notifications.
   * Default: 16.
   */
  readonly maxConnections?: number | undefined;
  readonly logger?: StoreLogger | undefined;
  readonly meter?: StoreMeter | undefined;
}

/**
 * Opens the database, creates it if needed (SQLite), and migrates its schema to this version. Two servers may
 * start at the same time.
 *
 * @throws StoreError `newer-schema`, `foreign-schema`, `other-schema`, `locked` (SQLite: another server has
 * the file open), `unavailable`, `misuse` (neither `url` nor `file`, or a scheme other than postgres).
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const logger = options.logger ?? silentLogger;
  if (options.url !== undefined) return await openPostgresStore({ ...options, url: options.url, logger });
  if (options.file === undefined) {
    throw new StoreError('misuse', 'openStore needs a `url` (postgres://…) or a `file` (SQLite).');
  }
  return await openSqliteStore({
    file: options.file,
    version: options.version,
    logger,
    meter: options.meter,
  });
}
