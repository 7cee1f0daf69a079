import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../logger.ts';
import { openSqliteStore } from '../sqlite/store.ts';
import type { Store } from '../types.ts';

/** Returns an unused path for a database. */
export const temporarySqlite = () =>
  join(tmpdir(), `ledger-ops-store-${process.pid}-${randomBytes(6).toString('hex')}.db`);

let template: Promise<Buffer> | undefined;

/**
 * Creates an empty SQLite database with the current schema. It is copied from a template, which is much faster than
 * migrating.
 */
export async function createSqlite(file: string): Promise<void> {
  template ??= makeTemplate();
  await writeFile(file, await template, { mode: 0o600 });
}

/** Opens a SQLite database as the server does, but without waiting for the disk. */
export async function openSqlite(file: string): Promise<Store> {
  return await openSqliteStore({ file, logger: silentLogger, durable: false });
}

export async function removeSqlite(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '.lock']) await rm(`${file}${suffix}`, { force: true });
}

async function makeTemplate(): Promise<Buffer> {
  const file = temporarySqlite();
  await (await openSqlite(file)).close();
  const bytes = await readFile(file);
  await removeSqlite(file);
  return bytes;
}
