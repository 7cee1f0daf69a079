import { StoreError } from './errors.ts';
import { type StoreLogger, silentLogger } from './logger.ts';
import type { StoreMeter } from './meter.ts';
import { openPostgresStore } from './postgres/store.ts';
import { openSqliteStore } from './sqlite/store.ts';
import type { Store } from './types.ts';

/** Where the database is; `url` wins. */
export interface OpenStoreOptions {
  /** `postgres://user:password@host:port/database?sslmode=…`: any number of servers on one database. */
  readonly url?: string | undefined;
  /** Path of a SQLite file: one server. */
  readonly file?: string | undefined;
  /** Of the software: kept with each migration that it applies, so that an older one can say which is needed. */
  readonly version?: string | undefined;
  /** PostgreSQL: connections of this server at most, besides the one that listens. 16 unless given. */
  readonly maxConnections?: number | undefined;
  readonly logger?: StoreLogger | undefined;
  readonly meter?: StoreMeter | undefined;
}

/**
 * Opens the database, creating it (SQLite) and bringing its schema up to this version. Two servers that start
 * at once do not disturb each other.
 *
 * @throws StoreError `newer-schema`, `foreign-schema`, `locked` (SQLite: another server has the file),
 * `unavailable`, `misuse` (neither `url` nor `file`, or a scheme other than postgres).
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
