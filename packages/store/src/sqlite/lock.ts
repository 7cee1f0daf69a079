import Database from 'better-sqlite3';
import { StoreError } from '../errors.ts';

/** The lock that this process holds as long as it has the database open. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock of a file, because only one server may open it. The lock is an exclusive transaction on a second
 * database, `<file>.lock`. The operating system releases it even if the process is killed. Other programs can still
 * read the main database.
 */
export function lockFile(file: string): FileLock {
  const side = new Database(`${file}.lock`, { timeout: 0 });
  try {
    side.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    side.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new StoreError(
        'locked',
        `Another server has ${file} open. Stop it first, or use a different file (several servers can only share a PostgreSQL database).`,
      );
    }
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new StoreError('unavailable', `${file}.lock cannot be locked: ${reason}`);
  }
  return { release: () => side.close() };
}
