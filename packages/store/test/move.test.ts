// Tests that moving a SQLite database to PostgreSQL copies every row, even if the move is interrupted several times.
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { moveToPostgres } from '../src/move.ts';
import { openSnapshot } from '../src/open-snapshot.ts';
import { openStore } from '../src/open-store.ts';
import { buildCatalogue } from '../src/schema/catalogue.ts';
import { openPostgres, type PostgresCluster } from '../src/testing/index.ts';
import { openSqlite, removeSqlite, temporarySqlite } from '../src/testing/open-sqlite.ts';
import type { SqlValue, Store } from '../src/types.ts';

let cluster: PostgresCluster;
let file: string;
let url: string;

beforeAll(async () => {
  cluster = await openPostgres();
});
afterAll(() => cluster.stop());

beforeEach(async () => {
  file = temporarySqlite();
  url = await cluster.createDatabase({ bare: true });
  const store = await openSqlite(file);
  await fill(store);
  await store.close();
});
afterEach(() => removeSqlite(file));

/** Fills every table with values of every kind. Some tables get more rows than fit into one batch. */
async function fill(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    for (const { name, columns } of buildCatalogue().values()) {
      const rows = Array.from({ length: name === 'action_listed' ? 2_500 : 3 }, (_, at) =>
        [...columns].map(([column, type]) => sampleOf(type, `${name}.${column}`, at)),
      );
      await tx.insertMany(name, [...columns.keys()], rows);
    }
  });
}

function sampleOf(type: string, place: string, at: number): SqlValue {
  // A language-specific collation sorts these strings differently from the order of their bytes.
  if (type === 'text') return `${['Z', 'a', 'é', '_', '𝄞'][at % 5]}${at} ${place}`;
  if (type === 'bytea') return createHash('sha256').update(`${place} ${at}`).digest();
  if (type === 'boolean') return at % 2 === 0;
  return at * 3_000_000_000_000 - 7;
}

const move = (more: Partial<Parameters<typeof moveToPostgres>[0]> = {}) =>
  moveToPostgres({ file, url, ...more });
const rowsOf = (store: Store, table: string) =>
  store.read.all<Record<string, SqlValue>>(`SELECT * FROM ${table}`);

test('a move copies every row of every table unchanged', async () => {
  const before = await openSnapshot({ file });
  const actions = await rowsOf(before, 'action');
  await before.close();
  const { tables, written } = await move();
  expect(Object.keys(tables)).toEqual([...buildCatalogue().keys()]);
  expect(tables.action_listed?.rows).toBe(2_500);
  expect(written).toBe(Object.values(tables).reduce((sum, { rows }) => sum + rows, 0));
  const after = await openStore({ url });
  expect(await rowsOf(after, 'action')).toEqual(expect.arrayContaining(actions));
  const [listed] = await after.read.all<{ n: number }>('SELECT COUNT(*) AS n FROM action_listed');
  expect(listed?.n).toBe(2_500);
  await after.close();
});

test('an interrupted move can be continued, and its target cannot be opened before the move completes', async () => {
  const stop = new Error('Power was lost.');
  let told = 0;
  const progress = () => {
    told += 1;
    if (told === 9) throw stop;
  };
  await expect(move({ progress })).rejects.toThrow(stop.message);
  await expect(openStore({ url })).rejects.toMatchObject({
    code: 'moved',
    message: expect.stringMatching(/`move`/),
  });
  // Servers still use the source, so the source may change before the move continues.
  const source = await openSqlite(file);
  await source.transaction((tx) => tx.run("UPDATE action SET tag = 'later'"));
  await source.close();
  const { written, tables } = await move();
  const all = Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
  expect(written).toBeLessThan(all);
  const target = await openStore({ url });
  expect(await target.read.all('SELECT DISTINCT tag FROM action')).toEqual([{ tag: 'later' }]);
  await target.close();
});

test('continuing a move deletes copied rows that the source no longer has', async () => {
  const progress = (line: string) => {
    if (line.startsWith('action:')) throw new Error('Power was lost.');
  };
  await expect(move({ progress })).rejects.toThrow();
  const source = await openSqlite(file);
  await source.transaction((tx) => tx.run('DELETE FROM action'));
  await source.close();
  expect((await move()).tables.action?.rows).toBe(0);
});

test('after a move, the source can neither be opened nor moved again', async () => {
  await move();
  await expect(openSqlite(file)).rejects.toMatchObject({
    code: 'moved',
    message: expect.stringMatching(/DATABASE_URL/),
  });
  await expect(move()).rejects.toMatchObject({ code: 'moved' });
  await expect(move({ url: await cluster.createDatabase({ bare: true }) })).rejects.toMatchObject({
    code: 'moved',
  });
});

test('a move rejects a target that contains data, and leaves it unchanged', async () => {
  const target = await openStore({ url });
  await target.transaction((tx) => tx.insertMany('removed_action', ['project_id', 'given_id'], [['p', 'g']]));
  await target.close();
  await expect(move()).rejects.toMatchObject({
    code: 'misuse',
    message: expect.stringMatching(/removed_action/),
  });
  const again = await openStore({ url });
  expect(await rowsOf(again, 'removed_action')).toHaveLength(1);
  await again.close();
});

test('a move fails while a server has either database open', async () => {
  const source = await openSqlite(file);
  await expect(move()).rejects.toMatchObject({ code: 'locked' });
  await source.close();
  const target = await openStore({ url });
  await expect(move({ patience: 0 })).rejects.toMatchObject({
    code: 'misuse',
    message: expect.stringMatching(/Stop them first.*try again later/),
  });
  // For a short time after the server was closed, its connections are still open.
  const moving = move({ patience: 60_000 });
  await target.close();
  await moving;
});
