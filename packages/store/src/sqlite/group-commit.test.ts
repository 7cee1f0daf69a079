import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../logger.ts';
import { buildCatalogue } from '../schema/catalogue.ts';
import { sqliteDialect } from '../schema/dialect.ts';
import { buildTables } from '../schema/index.ts';
import { createScopeTracker } from '../scope.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';

let writer: Database.Database;
let commits: GroupCommit;

beforeEach(() => {
  writer = new Database(':memory:');
  writer.pragma('foreign_keys = ON');
  writer.exec('create table parent (id integer primary key)');
  writer.exec('create table item (id integer primary key)');
  writer.exec('create table child (parent integer references parent (id) deferrable initially deferred)');
  commits = createGroupCommit(
    writer,
    buildTables(sqliteDialect),
    buildCatalogue(),
    createScopeTracker(),
    silentLogger,
    { maxCallers: 256, timing: { commit: 1_000, strayAwait: 50 } },
  );
});

afterEach(async () => {
  await commits.close();
  writer.close();
});

const addItem = (id: number) => commits.transaction((tx) => tx.run('insert into item values ($1)', [id]));
const items = () => writer.prepare('select id from item order by id').pluck().all();

it('if a shared commit fails, rejects all its callers and keeps none of their changes', async () => {
  const callbacks: string[] = [];
  const results = await Promise.allSettled([
    commits.transaction(async (tx) => {
      tx.afterCommit(() => callbacks.push('ran'));
      await tx.run('insert into item values (1)');
    }),
    commits.transaction((tx) => tx.run('insert into child values (7)')),
    addItem(3),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(results[0]).toMatchObject({ reason: { code: 'constraint', constraintKind: 'foreign-key' } });
  expect(callbacks).toEqual([]);
  expect(items()).toEqual([]);
  await addItem(4);
  expect(items()).toEqual([4]);
});

it('if one caller makes SQLite roll back the whole transaction, rejects all callers of the shared commit', async () => {
  await addItem(1);
  const results = await Promise.allSettled([
    addItem(2),
    commits.transaction((tx) => tx.run('insert or rollback into item values (1)')),
    addItem(3),
  ]);
  expect(results.slice(0, 2).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(results[0]).toMatchObject({ reason: { code: 'unavailable' } });
  // The work of the third caller had not started, so the next commit includes it.
  expect(results[2]?.status).toBe('fulfilled');
  expect(items()).toEqual([1, 3]);
});

it('commits the work of all waiting callers in one transaction', async () => {
  let depth = 0;
  let deepest = 0;
  await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      commits.transaction(async (tx) => {
        depth += 1;
        deepest = Math.max(deepest, depth);
        tx.afterCommit(() => {
          depth -= 1;
        });
        await tx.run('insert into item values ($1)', [i]);
      }),
    ),
  );
  expect(deepest).toBe(50);
});

it('rolls back work that awaits something other than the database, and completes the work of other callers', async () => {
  const stray = commits.transaction(async (tx) => {
    await tx.run('insert into item values (1)');
    await new Promise(() => undefined);
  });
  const other = addItem(2);
  await expect(stray).rejects.toMatchObject({
    code: 'misuse',
    message: expect.stringContaining('insert into item'),
  });
  await other;
  expect(items()).toEqual([2]);
});

it('commits callers in the order of their calls', async () => {
  const order: number[] = [];
  await Promise.all([1, 2, 3].map((id) => addItem(id).then(() => order.push(id))));
  expect(order).toEqual([1, 2, 3]);
});

it('rejects all waiting callers while another program locks the file, and accepts new ones later', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-ops-busy-'));
  const file = join(folder, 'busy.db');
  const other = new Database(file);
  other.exec('create table item (id integer primary key)');
  const busy = new Database(file, { timeout: 0 });
  const blocked = createGroupCommit(
    busy,
    buildTables(sqliteDialect),
    buildCatalogue(),
    createScopeTracker(),
    silentLogger,
    { maxCallers: 256, timing: { commit: 1_000, strayAwait: 50 } },
  );
  const add = (id: number) => blocked.transaction((tx) => tx.run('insert into item values ($1)', [id]));
  other.exec('BEGIN IMMEDIATE');
  const results = await Promise.allSettled([add(1), add(2)]);
  expect(results).toMatchObject([{ reason: { code: 'unavailable' } }, { reason: { code: 'unavailable' } }]);
  other.exec('ROLLBACK');
  await add(3);
  expect(other.prepare('select id from item').pluck().all()).toEqual([3]);
  await blocked.close();
  busy.close();
  other.close();
  await rm(folder, { recursive: true });
});
