import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { openStore } from '../src/index.ts';
import { describeDialects } from '../src/testing/index.ts';
import { startChild } from './start-child.ts';

describeDialects('a store in several processes', (open, { dialect, locate }) => {
  it('a killed process keeps committed data and drops uncommitted data', async () => {
    const place = await locate();
    const child = await startChild('write', place);
    expect(child.line).toBe('inside');
    await child.kill();
    const store = await open(place);
    // PostgreSQL detects only after some time that its client was killed.
    await vi.waitFor(async () => {
      await store.transaction((tx) => tx.run("insert into counter (name, value) values ('uncommitted', 2)"));
    }, 30_000);
    expect(await store.read.all('select name, value from counter order by name')).toEqual([
      { name: 'committed', value: 1 },
      { name: 'uncommitted', value: 2 },
    ]);
  });

  it('two processes that start at the same time run each migration once', async () => {
    const place = await locate({ bare: true });
    const children = await Promise.all([startChild('open', place), startChild('open', place)]);
    expect(children.map(({ line }) => line).sort()).toEqual(
      dialect === 'postgres' ? ['opened', 'opened'] : ['locked', 'opened'],
    );
    await Promise.all(children.map((child) => child.finish()));
    const store = await open(place);
    expect(await store.read.all('select number from schema_migration')).toEqual([{ number: 0 }]);
  });

  it('rejects a database with an unknown migration', async () => {
    const place = await locate({ bare: true });
    const store = await open(place);
    await store.transaction((tx) =>
      tx.run("insert into schema_migration values (1, 'future', 'hash', 1, '0.9.0')"),
    );
    await store.close();
    await expect(openStore({ ...place, version: '0.8.1' })).rejects.toMatchObject({
      code: 'newer-schema',
      message: expect.stringContaining(
        'migration 0001_future, applied by version 0.9.0. This is version 0.8.1, which knows migrations only up to 0000_initial. Start version 0.9.0 or a newer one.',
      ),
    });
  });

  it("rejects a database if one of its migrations differs from the program's migration with the same number", async () => {
    const place = await locate({ bare: true });
    const store = await open(place);
    await store.transaction((tx) => tx.run("update schema_migration set hash = 'other'"));
    await store.close();
    await expect(openStore(place)).rejects.toMatchObject({ code: 'foreign-schema' });
  });

  it('a store keeps its rows across a restart', async () => {
    const place = await locate();
    const first = await open(place);
    await first.transaction((tx) => tx.run("insert into counter (name, value) values ('x', 1)"));
    await first.close();
    const second = await open(place);
    expect(await second.read.all('select value from counter')).toEqual([{ value: 1 }]);
  });
});

it('stops PostgreSQL when the test process is killed', async () => {
  const child = await startChild('cluster');
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith('ledger-ops-postgres-'));
  expect(before.length).toBeGreaterThan(0);
  const client = new pg.Client({ connectionString: child.line });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ folder: string }>(
    "select current_setting('data_directory') as folder",
  );
  const folder = rows[0]?.folder ?? join(tmpdir(), 'unknown');
  expect(existsSync(folder)).toBe(true);
  const ended = new Promise<void>((resolve) => {
    client.on('end', () => resolve());
  });
  await child.kill();
  await ended;
  await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 30_000 });
  const again = new pg.Client({ connectionString: child.line });
  again.on('error', () => undefined);
  await expect(again.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
