// Tests that copies of only the database file contain all but the newest commits, and that a missing or incomplete
// database is refused, not replaced with a new one.
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLogger } from '../logger.ts';
import { openSnapshot } from '../open-snapshot.ts';
import { openSqliteStore } from './store.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-ops-lost-'));
  file = join(folder, 'data.sqlite');
});
afterEach(() => rm(folder, { recursive: true }));

const open = (path = file) =>
  openSqliteStore({ file: path, logger: silentLogger, durable: false, timing: { checkpoint: 10 } });
const insert = 'insert into counter (name, value) values ($1, 1)';

/** Copies only the database file now, and returns the rows of the copy. */
async function copied(): Promise<unknown[]> {
  const copy = join(folder, 'copy.sqlite');
  await copyFile(file, copy);
  const snapshot = await openSnapshot({ file: copy });
  const rows = await snapshot.read.all('select name from counter order by name');
  await snapshot.close();
  for (const suffix of ['', '-wal', '-shm']) await rm(`${copy}${suffix}`, { force: true });
  return rows;
}

it('copies commits from the write-ahead log to the database file soon after the last commit', async () => {
  const store = await open();
  try {
    expect(await copied()).toEqual([]);
    await store.transaction((tx) => tx.run(insert, ['a']));
    await vi.waitFor(async () => expect(await copied()).toEqual([{ name: 'a' }]), 30_000);
    await store.transaction((tx) => tx.run(insert, ['b']));
    await vi.waitFor(async () => expect(await copied()).toEqual([{ name: 'a' }, { name: 'b' }]), 30_000);
  } finally {
    await store.close();
  }
});

it('a store without commits has no running timer', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const store = await open();
  const started = () => timers.mock.calls.filter(([, delay]) => delay === 10).length;
  expect(started()).toBe(1);
  await store.transaction((tx) => tx.run(insert, ['a']));
  await store.read.all('select name from counter');
  await store.close();
  expect(started()).toBeLessThanOrEqual(2);
  timers.mockRestore();
});

it('refuses a database file that was copied without its write-ahead log', async () => {
  // All data is in the write-ahead log, as may be the case in databases of other software.
  const source = new Database(join(folder, 'source.sqlite'));
  source.pragma('journal_mode = WAL');
  source.pragma('wal_autocheckpoint = 0');
  source.exec('create table one (id integer)');
  await copyFile(join(folder, 'source.sqlite'), file);
  source.close();
  await expect(open()).rejects.toMatchObject({
    code: 'no-installation',
    message: expect.stringMatching(/is missing\. Copy both files, or use the command backup\./),
  });
});

it('refuses to create a database if the previous file is missing', async () => {
  await (await open()).close();
  await rm(file);
  await expect(open()).rejects.toMatchObject({
    code: 'no-installation',
    message: expect.stringContaining('data.sqlite.lock shows that a server has used it'),
  });
  await rm(`${file}.lock`);
  await (await open()).close();
});

it('the store continues an interrupted first startup', async () => {
  await writeFile(file, '');
  await writeFile(`${file}.lock`, '');
  await (await open()).close();
  await (await open()).close();
});
