// The heartbeat, in the database and in the data folder, shows that a database was restored to an earlier state.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type Store, StoreError } from '@ledger-ops/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { databasePlace } from '../../src/database-place.ts';
import { adoptAs } from '../../src/installation/adopt-database.ts';
import { readHeartbeat } from '../../src/installation/heartbeat-file.ts';
import { RunningInstallation } from '../../src/installation/running-installation.ts';
import { createLog } from '../../src/logging/logger.ts';
import { startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { WriteHealth } from '../../src/write-health.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
let config: ReturnType<typeof readConfig>;
let store: Store;
let opened: RunningInstallation[];

beforeEach(async () => {
  folder = await openFolder();
  config = readConfig({ DATA_DIR: join(folder.path, 'data'), MASTER_KEY: '07'.repeat(32), PORT: '0' });
  opened = [];
  const first = await startServer({ config, log: createLog('silent'), adapters: [] });
  await first.close();
  store = await openStore(databasePlace(config));
});
afterEach(async () => {
  vi.useRealTimers();
  for (const one of opened) await one.close();
  await store.close();
  await folder.remove();
});

async function open(writes = new WriteHealth(() => undefined)): Promise<RunningInstallation> {
  const running = await RunningInstallation.open({ store, config, log: () => undefined, writes });
  opened.push(running);
  return running;
}

const setHeartbeat = (at: number) =>
  store.transaction((tx) => tx.run('UPDATE installation SET heartbeat = $1', [at]));

const seen = async () => (await readHeartbeat(config.dataDir))?.heartbeat ?? 0;

test('within five seconds, the data folder records that the database was used, even if the server is killed afterwards', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await open();
  const before = await seen();
  await store.transaction((tx) => tx.run("INSERT INTO counter (name, value) VALUES ('used', 1)"));
  vi.advanceTimersByTime(5_000);
  await vi.waitFor(async () => expect(await seen()).toBeGreaterThan(before), { timeout: 30_000 });
  // Simulates restoring a snapshot that was taken before the change.
  await setHeartbeat(before);
  expect((await open()).doubt).toMatchObject({
    kind: 'set-back',
    detail: expect.stringContaining(`until ${new Date(await seen()).toISOString()}`),
  });
});

test('after a failed write, the next heartbeat that is stored ends the outage, even if nothing else was written', async () => {
  const writes = new WriteHealth(() => undefined);
  const running = await open(writes);
  const full = new StoreError('unavailable', 'insert', { native: 'SQLITE_FULL' });
  const failed = writes.observe({ ...store, transaction: () => Promise.reject(full) });
  await expect(failed.transaction(async () => undefined)).rejects.toBe(full);
  expect(writes.cause).toBe('The disk of the database is full.');
  await running.beatIfUsed();
  expect(writes.cause).toBeUndefined();
});

test('a server that stops records the time of the last change in its data folder', async () => {
  const running = await open();
  const before = await seen();
  await store.transaction((tx) => tx.run("INSERT INTO counter (name, value) VALUES ('used', 1)"));
  await running.close();
  expect(await seen()).toBeGreaterThan(before);
});

test('a heartbeat file that belongs to another installation or cannot be read is ignored', async () => {
  const installationId = '00000000-0000-4000-8000-000000000000';
  const later = Date.now() + 60_000;
  for (const text of [JSON.stringify({ installationId, heartbeat: later }), '', '{"heartbeat": 1}']) {
    await writeFile(join(config.dataDir, 'heartbeat.json'), text);
    expect((await open()).doubt).toBeUndefined();
  }
});

test('a database is current only if its heartbeat is less than 30 s old and not in the future', async () => {
  for (const [age, isCurrent] of [
    [0, true],
    [25_000, true],
    [30_000, false],
    [-60_000, false],
  ] as const) {
    await writeFile(join(config.dataDir, 'heartbeat.json'), '');
    await setHeartbeat(Date.now() - age);
    expect([age, (await open()).isCurrent]).toEqual([age, isCurrent]);
  }
});

async function adopt(decision: 'moved' | 'copy' | 'restored'): Promise<void> {
  await store.close();
  await adoptAs(decision, config);
  store = await openStore(databasePlace(config));
}

test.each([
  ['moved', true],
  ['copy', false],
  ['restored', false],
] as const)('after adopt --%s, the database counts as current: %s', async (decision, isCurrent) => {
  await adopt(decision);
  expect(await open()).toMatchObject({ doubt: undefined, isCurrent });
});

test('after adopt --moved, a heartbeat file that is ahead of the database is ignored', async () => {
  const { installationId } = await open();
  const ahead = JSON.stringify({ installationId, heartbeat: Date.now() + 3_600_000 });
  const writeAhead = () => writeFile(join(config.dataDir, 'heartbeat.json'), ahead);
  await writeAhead();
  expect((await open()).doubt).toBeDefined();
  await adopt('moved');
  await writeAhead();
  expect((await open()).doubt).toBeUndefined();
});
