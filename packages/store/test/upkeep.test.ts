import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copySqlite, migrate, openSnapshot, openStore, readSchema, restoreSqlite } from '../src/index.ts';
import { describeDialects, openSqlite } from '../src/testing/index.ts';

const insert = 'insert into counter (name, value) values ($1, $2)';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-ops-upkeep-'));
});

afterAll(() => rm(folder, { recursive: true }));

describeDialects('a schema', (_open, { locate }) => {
  it('the first migration creates the schema and reports it, and a second migration changes nothing', async () => {
    const place = { ...(await locate({ bare: true })), version: '0.8.1' };
    const initial = { applied: [], pending: ['0000_initial'] };
    expect(await readSchema(place)).toMatchObject(initial);
    expect(await readSchema(place)).toMatchObject(initial);
    await expect(openSnapshot(place)).rejects.toMatchObject({
      code: place.url === undefined ? 'unavailable' : 'no-installation',
    });
    // A database without a schema cannot be read, even with `older`.
    await expect(openSnapshot(place, { older: true })).rejects.toMatchObject({ name: 'StoreError' });
    expect(await migrate(place)).toMatchObject(initial);
    const done = { applied: ['0000_initial'], pending: [] };
    expect(await readSchema(place)).toMatchObject(done);
    expect(await migrate(place)).toMatchObject(done);
    const store = await openStore(place);
    expect(await store.read.all('select version from schema_migration')).toEqual([{ version: '0.8.1' }]);
    // A snapshot can be opened even if a server has the database open.
    expect(await readSchema(place)).toMatchObject(done);
    const { read, transaction, close } = await openSnapshot(place);
    await store.transaction((tx) => tx.run(insert, ['x', 1]));
    expect(await read.all('select * from counter')).toEqual([]);
    await expect(read.run(insert, ['y', 1])).rejects.toMatchObject({ name: 'StoreError' });
    await expect(transaction(async () => 1)).rejects.toMatchObject({ code: 'misuse' });
    await close();
    await store.transaction((tx) =>
      tx.run("insert into schema_migration values (1, 'future', 'hash', 1, null)"),
    );
    await store.close();
    await expect(readSchema(place)).rejects.toMatchObject({ code: 'newer-schema' });
    await expect(migrate(place)).rejects.toMatchObject({ code: 'newer-schema' });
  });
});

it('a copy contains what was committed at one instant, and is readable by its owner only', async () => {
  const file = join(folder, 'busy.db');
  const store = await openSqlite(file);
  // The table has so many pages that writes would overtake a copy in several steps.
  await store.transaction(async (tx) => {
    const rows = Array.from({ length: 20_000 }, (_, n) => [`${'x'.repeat(100)}${n}`, 1]);
    await tx.insertMany('counter', ['name', 'value'], rows);
  });
  let written = 0;
  let isCopying = true;
  const load = (async () => {
    while (isCopying) {
      // A copy must contain both rows of a pair, or neither.
      await store.transaction(async (tx) => {
        await tx.run(insert, [`a${written}`, 1]);
        await tx.run(insert, [`b${written}`, 1]);
      });
      written += 1;
      await new Promise(setImmediate);
    }
  })();
  const to = join(folder, 'busy.copy');
  const copied = await copySqlite(file, to);
  isCopying = false;
  await load;
  await store.close();
  expect(copied.bytes).toBe((await stat(to)).size);
  expect((await stat(to)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter((name) => name.startsWith('busy.copy'))).toEqual(['busy.copy']);

  const restored = join(folder, 'restored.db');
  await restoreSqlite(to, restored, copied);
  const again = await openSqlite(restored);
  const names = (await again.read.all<{ name: string }>('select name from counter')).map(({ name }) => name);
  await again.close();
  expect(names.length).toBe(copied.rows.counter);
  expect(names.length).toBeGreaterThanOrEqual(20_000);
  const of = (letter: string) =>
    names.flatMap((name) => (name.startsWith(letter) ? [name.slice(1)] : [])).sort();
  expect(of('a')).toEqual(of('b'));
});

it('rejects a modified copy, does not overwrite existing files, and deletes partial files after a failure', async () => {
  const file = join(folder, 'small.db');
  await (await openSqlite(file)).close();
  const to = join(folder, 'small.copy');
  const copied = await copySqlite(file, to);
  const target = join(folder, 'target.db');
  await expect(restoreSqlite(to, file, copied)).rejects.toMatchObject({ code: 'unavailable' });

  const bytes = await readFile(to);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await writeFile(to, bytes);
  await expect(restoreSqlite(to, target, copied)).rejects.toThrow('its SHA-256 differs');
  await writeFile(to, bytes.subarray(0, 4096));
  await expect(restoreSqlite(to, target, copied)).rejects.toThrow('its SHA-256 differs');
  await expect(restoreSqlite(join(folder, 'nowhere'), target, copied)).rejects.toMatchObject({
    code: 'unavailable',
  });
  await expect(copySqlite(join(folder, 'nowhere'), target)).rejects.toMatchObject({ code: 'unavailable' });
  expect((await readdir(folder)).filter((name) => name.startsWith('target'))).toEqual([]);
});
