// Measures durable single-row transactions on SQLite, and compares them with plain better-sqlite3. Run: `pnpm run
// bench`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openStore, uuidv7 } from '../src/index.ts';
import type { Tx } from '../src/types.ts';

const folder = await mkdtemp(join(tmpdir(), 'ledger-ops-bench-'));

/** Returns the number of operations per second. */
async function rate(operations: number, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return operations / ((performance.now() - started) / 1_000);
}

const insert =
  'insert into idempotency (scope, key, fingerprint, status, body, created_at) values ($1, $2, $3, $4, $5, $6)';
const row = (tx: Tx) =>
  tx.run(insert, ['scope', uuidv7(), 'fingerprint', 201, '{"ok":true}', 1_700_000_000_000]);
const byDrizzle = (tx: Tx) =>
  tx.db.insert(tx.t.idempotency).values({
    scope: 'scope',
    key: uuidv7(),
    fingerprint: 'fingerprint',
    status: 201,
    body: '{"ok":true}',
    createdAt: 1_700_000_000_000,
  });

const store = await openStore({ file: join(folder, 'bench.db') });

async function transactions(
  callers: number,
  each: number,
  work: (tx: Tx) => Promise<unknown>,
): Promise<number> {
  return await rate(callers * each, async () => {
    await Promise.all(
      Array.from({ length: callers }, async () => {
        for (let i = 0; i < each; i += 1) await store.transaction(work);
      }),
    );
  });
}

const plain = new Database(join(folder, 'plain.db'));
plain.pragma('journal_mode = WAL');
plain.pragma('synchronous = FULL');
plain.exec('create table t (a text primary key, b text, c text, d integer, e text, f integer)');
const statement = plain.prepare('insert into t values (?, ?, ?, ?, ?, ?)');
const base = await rate(2_000, async () => {
  for (let i = 0; i < 2_000; i += 1) statement.run(uuidv7(), 'scope', 'fingerprint', 201, '{"ok":true}', 1);
});
plain.close();

await transactions(64, 50, row);
const results: [string, number][] = [
  ['plain better-sqlite3, one row per commit', base],
  ['store, one caller', await transactions(1, 2_000, row)],
  ['store, 8 callers', await transactions(8, 1_000, row)],
  ['store, 64 callers', await transactions(64, 500, row)],
  ['store, 64 callers, drizzle instead of a prepared statement', await transactions(64, 250, byDrizzle)],
  [
    'store, insertMany, 5,000 rows in one transaction',
    await rate(5_000, () =>
      store.transaction((tx) =>
        tx.insertMany(
          'idempotency',
          ['scope', 'key', 'fingerprint', 'status', 'body', 'created_at'],
          Array.from({ length: 5_000 }, () => ['bulk', uuidv7(), 'fingerprint', 201, null, 1]),
        ),
      ),
    ),
  ],
];
await store.close();
await rm(folder, { recursive: true });
for (const [name, perSecond] of results) {
  process.stdout.write(
    `${name.padEnd(56)} ${Math.round(perSecond).toLocaleString('en').padStart(9)} rows/s  ${(perSecond / base).toFixed(2)} ×\n`,
  );
}
