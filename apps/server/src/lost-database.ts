import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queries } from '@ledger-ops/store';
import type { ServerConfig } from './settings/config.ts';

/** Age of a key file in milliseconds above which it was probably not created for a first start. */
const oldKey = 86_400_000;

/** Returns true until a server has completed its first start on the database. */
export async function isNewInstallation(read: Pick<Queries, 'all'>): Promise<boolean> {
  return (await read.all('SELECT uid FROM organization LIMIT 1')).length === 0;
}

/** Returns the message about a database on which no server has completed its first start. */
export function neverStarted(where: string): string {
  return `No server has ever started on ${where}. Check that DATABASE_URL, DATABASE_SCHEMA and DATA_DIR match the server’s settings.`;
}

/**
 * Returns why a new SQLite database must not be created in this data folder; undefined if nothing indicates
 * this. A server writes `administrator.json` at its first start and never deletes it.
 */
export async function lostDatabase({
  databaseUrl,
  dataDir,
}: Pick<ServerConfig, 'databaseUrl' | 'dataDir'>): Promise<string | undefined> {
  if (databaseUrl !== undefined) return undefined;
  const file = join(dataDir, 'administrator.json');
  const since = await changedAt(file);
  if (since === undefined) return undefined;
  return `The database is empty, but ${file} of ${since.toISOString()} belongs to an older installation. Set DATABASE_URL if that installation uses PostgreSQL, or restore its database with its -wal file. To begin a new installation, move ${file} away.`;
}

/** Warning about a key file that is much older than the new installation; undefined if the key file is recent. */
export async function oldKeyFile(path: string | undefined, now: number): Promise<string | undefined> {
  const since = path === undefined ? undefined : await changedAt(path);
  if (since === undefined || now - since.getTime() < oldKey) return undefined;
  return `the database was empty, but the master key file was last changed on ${since.toISOString()}. If this is not the first start, stop the server and check DATABASE_URL, DATABASE_SCHEMA and DATA_DIR`;
}

async function changedAt(path: string): Promise<Date | undefined> {
  return await stat(path).then(
    ({ mtime }) => mtime,
    () => undefined,
  );
}
