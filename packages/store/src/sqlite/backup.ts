import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { StoreError } from '../errors.ts';
import { buildCatalogue } from '../schema/catalogue.ts';
import { defaultTiming } from '../timing.ts';
import { openReader } from './connections.ts';

/** A copy of a database in a single file. */
export interface CopiedDatabase {
  readonly bytes: number;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
  /** Number of rows, by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Makes the backup copy all pages in one step. Otherwise, a concurrent write would restart it. */
const allPages = 0x7fffffff;

/**
 * Copies a SQLite database to a new file that only this user can read. During the copy, a server can write to the
 * database without waiting. The copy contains the state at one point in time, has passed an integrity check, and is
 * synced to disk.
 *
 * @throws StoreError `unavailable`; the unfinished copy is deleted
 */
export async function copySqlite(from: string, to: string): Promise<CopiedDatabase> {
  const source = resolve(from);
  const reader = openReader(source, defaultTiming);
  const target = resolve(to);
  try {
    await makePrivate(target);
    try {
      await reader.backup(target, { progress: () => allPages });
      const rows = checkCopy(target);
      return { ...(await settle(target)), rows };
    } catch (error) {
      await rm(target, { force: true });
      throw failed(`${source} could not be copied`, error);
    }
  } finally {
    reader.close();
  }
}

/**
 * Restores a copy to a path at which no file exists yet, either completely or not at all.
 *
 * @param expected the result of `copySqlite`
 * @throws StoreError `unavailable` if the copy is damaged, or cannot be read or written
 */
export async function restoreSqlite(from: string, to: string, expected: CopiedDatabase): Promise<void> {
  const target = resolve(to);
  await makePrivate(target);
  try {
    const hash = createHash('sha256');
    const handle = await open(target, 'r+');
    await pipeline(createReadStream(resolve(from)), hashing(hash), handle.createWriteStream());
    if (hash.digest('hex') !== expected.sha256) {
      throw new StoreError('unavailable', `${from} was changed since the backup: its SHA-256 differs.`);
    }
    const rows = checkCopy(target);
    for (const [table, count] of Object.entries(expected.rows)) {
      if (rows[table] === count) continue;
      throw new StoreError(
        'unavailable',
        `${from} has ${rows[table] ?? 0} rows in ${table}, but the backup had ${count}.`,
      );
    }
    forgetIdentity(target);
    await settle(target);
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${target}${suffix}`, { force: true });
    throw failed(`${from} could not be restored`, error);
  }
}

function hashing(hash: Hash) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
}

async function makePrivate(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    throw failed(`${path} cannot be created`, error);
  }
}

/** Runs SQLite's integrity check, and merges the write-ahead log into the file. Returns the number of rows by table. */
function checkCopy(path: string): Record<string, number> {
  const copy = new Database(path, { fileMustExist: true });
  try {
    copy.pragma('journal_mode = DELETE');
    const found = copy.pragma('integrity_check', { simple: true });
    if (found !== 'ok') throw new StoreError('unavailable', `${path} is damaged: ${found}`);
    const tables = copy
      .prepare<[], { name: string }>("select name from sqlite_master where type = 'table' order by name")
      .all()
      .map(({ name }) => name)
      .filter((name) => buildCatalogue().has(name));
    const count = (name: string) =>
      copy.prepare<[], { n: number }>(`select count(*) as n from "${name}"`).get()?.n ?? 0;
    return Object.fromEntries(tables.map((name) => [name, count(name)]));
  } finally {
    copy.close();
  }
}

/** Deletes the recorded identity, so that the next startup records the restored file's location. */
function forgetIdentity(path: string): void {
  const copy = new Database(path, { fileMustExist: true });
  try {
    if (copy.prepare("select 1 from sqlite_master where name = 'installation'").get() === undefined) return;
    copy.exec('update installation set identity = null');
  } finally {
    copy.close();
  }
}

/** Syncs the file to disk. Returns its size and its SHA-256. */
async function settle(path: string): Promise<Pick<CopiedDatabase, 'bytes' | 'sha256'>> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
    return { bytes: (await handle.stat()).size, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

function failed(what: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError('unavailable', `${what}: ${error instanceof Error ? error.message : 'unknown'}`);
}
