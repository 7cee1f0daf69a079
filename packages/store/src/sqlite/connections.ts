import Database from 'better-sqlite3';
import { StoreError } from '../errors.ts';
import type { Timing } from '../timing.ts';
import { migrateSqlite } from './migrate.ts';

/** Opens two connections: one for writing, which migrates the schema, and one only for reading. */
export async function openConnections(
  file: string,
  timing: Timing,
  durable: boolean,
  version: string | undefined,
): Promise<{ readonly writer: Database.Database; readonly reader: Database.Database }> {
  let writer: Database.Database | undefined;
  try {
    writer = new Database(file, { fileMustExist: true, timeout: timing.busy });
    configure(writer);
    writer.pragma(`synchronous = ${durable ? 'FULL' : 'OFF'}`);
    await migrateSqlite(writer, file, version);
    // WAL mode is enabled only here, because the tables of a new database must be in the file itself (see
    // `refuseLostFile`).
    logAhead(writer);
    return { writer, reader: openConnection(file, timing, true) };
  } catch (error) {
    writer?.close();
    throw asOpenError(error, file);
  }
}

/**
 * Opens a file for reading. Another process may write to it.
 * @throws StoreError `unavailable`
 */
export function openReader(file: string, timing: Timing): Database.Database {
  try {
    return openConnection(file, timing, true);
  } catch (error) {
    throw asOpenError(error, file);
  }
}

/**
 * Opens a file for writing, whatever its schema is. The caller must hold the file's lock.
 * @throws StoreError `unavailable`
 */
export function openWriter(file: string, timing: Timing): Database.Database {
  try {
    return openConnection(file, timing, false);
  } catch (error) {
    throw asOpenError(error, file);
  }
}

function openConnection(file: string, timing: Timing, readonly: boolean): Database.Database {
  const connection = new Database(file, { readonly, fileMustExist: true, timeout: timing.busy });
  try {
    configure(connection);
    if (!readonly) logAhead(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function logAhead(connection: Database.Database): void {
  connection.pragma('journal_mode = WAL');
  // The write-ahead log is copied to the database file at 16 MiB, and truncated to that size.
  connection.pragma('wal_autocheckpoint = 4000');
  connection.pragma('journal_size_limit = 16777216');
}

function configure(connection: Database.Database): void {
  if (!connection.readonly) {
    connection.pragma('secure_delete = ON');
    connection.pragma('foreign_keys = ON');
  }
  connection.pragma('cache_size = -4096');
  connection.pragma('temp_store = MEMORY');
  // LIKE is case-sensitive, as in PostgreSQL.
  connection.pragma('case_sensitive_like = ON');
}

function asOpenError(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : 'unknown';
  const native = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return new StoreError('unavailable', `${file} cannot be opened as a database: ${reason}`, { native });
}
