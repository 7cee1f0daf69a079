import Database from 'better-sqlite3';
import { StoreError } from '../errors.ts';

/** Held for as long as this process has the database open. */
export interface FileLock {
  release(): void;
}

/**
 * One server per file. The lock is an exclusive transaction on a side database, `<file>.lock`: the operating
 * system takes it back however the process ends, and no other program's reads are in its way.
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
        `Another server has ${file} open: stop it first, or give this one a file of its own (several servers share a PostgreSQL database).`,
      );
    }
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new StoreError('unavailable', `${file}.lock cannot be locked: ${reason}`);
  }
  return { release: () => side.close() };
}
