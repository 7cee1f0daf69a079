import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { startChild } from '../../test/start-child.ts';
import { openStore, StoreError } from '../index.ts';
import { silentLogger } from '../logger.ts';
import type { Store } from '../types.ts';
import { openSqliteStore, type SqliteStoreOptions } from './store.ts';

let folder: string;
let file: string;
let store: Store | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-ops-sqlite-'));
  file = join(folder, 'new', 'data.db');
});

afterEach(async () => {
  await store?.close();
  store = undefined;
  await rm(folder, { recursive: true });
});

async function open(options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  store = await openSqliteStore({ file, logger: silentLogger, ...options });
  return store;
}

const insert = 'insert into counter (name, value) values ($1, $2)';

it('the SQLite store creates a folder and files that only their owner can read', async () => {
  const opened = await open();
  await opened.transaction((tx) => tx.run(insert, ['x', 1]));
  for (const suffix of ['', '-wal', '.lock']) {
    expect((await stat(`${file}${suffix}`)).mode & 0o777).toBe(0o600);
  }
  expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700);
});

it('the SQLite store writes durably with a write-ahead log, and its read connection cannot write', async () => {
  const { read, transaction } = await open();
  expect(await transaction((tx) => tx.all('pragma synchronous'))).toEqual([{ synchronous: 2 }]);
  expect(await read.all('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  await expect(read.run(insert, ['x', 1])).rejects.toMatchObject({ code: 'misuse' });
});

it('the files of a closed SQLite store contain no erased value', async () => {
  const opened = await open();
  const secret = 'a-grant-that-was-erased'.repeat(20);
  await opened.transaction((tx) => tx.run(insert, [secret, 1]));
  await opened.transaction((tx) => tx.run('delete from counter'));
  await opened.close();
  expect((await readFile(file)).includes('a-grant-that-was-erased')).toBe(false);
  expect(existsSync(`${file}-wal`)).toBe(false);
});

it('copies each commit from the write-ahead log to the database file soon afterwards', async () => {
  const opened = await open({ timing: { checkpoint: 10 } });
  const copied = (text: string) =>
    vi.waitFor(async () => expect((await readFile(file)).includes(text)).toBe(true), 10_000);
  for (const name of ['the first commit', 'the second commit']) {
    await opened.transaction((tx) => tx.run(insert, [name, 1]));
    await copied(name);
  }
});

it('the SQLite store releases its file even if the final checkpoint fails', async () => {
  const opened = await open();
  const pragma = vi.spyOn(Database.prototype, 'pragma').mockImplementation(() => {
    throw new Error('database or disk is full');
  });
  onTestFinished(() => pragma.mockRestore());
  store = undefined;
  await expect(opened.close()).rejects.toThrow('full');
  pragma.mockRestore();
  await open();
});

it('rejects a file that another store of this process has open, and names the file', async () => {
  await open();
  const error = await openStore({ file }).catch((e: unknown) => e);
  expect(error).toMatchObject({ code: 'locked', message: expect.stringContaining(file) });
});

it('rejects a file that another process has open, until that process is killed', async () => {
  const child = await startChild('open', { file });
  expect(child.line).toBe('opened');
  await expect(openStore({ file })).rejects.toMatchObject({ code: 'locked' });
  await child.kill();
  await open();
});

it('rejects a file that is not a database, and a folder that cannot be created', async () => {
  const text = join(folder, 'text.db');
  await writeFile(text, 'This is a text and not a database, and long enough to be seen as such. '.repeat(20));
  await expect(openStore({ file: text })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(text),
  });
  await expect(openStore({ file: join(text, 'data.db') })).rejects.toBeInstanceOf(StoreError);
  await expect(openStore({})).rejects.toMatchObject({ code: 'misuse' });
});

it('yields to the event loop between shared commits', async () => {
  const opened = await open({ maxCallers: 4 });
  let turns = 0;
  let counting = true;
  const turn = () => {
    turns += 1;
    if (counting) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => opened.transaction((tx) => tx.run(insert, [`${i}`, i]))),
  );
  counting = false;
  expect(turns).toBeGreaterThanOrEqual(9);
});
