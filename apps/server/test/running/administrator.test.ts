import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createSqlite, openSqlite } from '@ledger-ops/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { firstStart } from '../../src/administrator.ts';

test('starting on another port updates the URL in the administrator’s file, but does not create a missing file', async () => {
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  const database = join(folder.path, 'ledger-ops.sqlite');
  await createSqlite(database);
  const store = await openSqlite(database);
  onTestFinished(() => store.close());
  const file = join(folder.path, 'administrator.json');
  const start = (baseUrl: string) =>
    firstStart({ store, config: { baseUrl }, dataDir: folder.path, given: undefined });
  const read = async () => JSON.parse(await readFile(file, 'utf8')) as { baseUrl: string };

  await start('http://127.0.0.1:3000');
  const first = await read();
  await start('http://127.0.0.1:3001');
  expect(await read()).toEqual({ ...first, baseUrl: 'http://127.0.0.1:3001' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  await rm(file);
  await start('http://127.0.0.1:3002');
  await expect(stat(file)).rejects.toThrow('ENOENT');
});
