import { join } from 'node:path';
import { openStore, type Store, StoreError } from '@ledger-ops/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { WriteHealth } from '../../src/write-health.ts';

const full = new StoreError('unavailable', 'insert', { native: 'SQLITE_FULL' });
const broken = new StoreError('unavailable', 'insert', { native: 'SQLITE_IOERR_WRITE' });

let folder: Awaited<ReturnType<typeof openFolder>>;
let opened: Store;
beforeAll(async () => {
  folder = await openFolder();
  opened = await openStore({ file: join(folder.path, 'test.sqlite') });
});
afterAll(async () => {
  await opened?.close();
  await folder?.remove();
});

function observed() {
  const lines: string[] = [];
  const writes = new WriteHealth((level, event, fields) => {
    lines.push([level, event, ...(fields === undefined ? [] : [String(fields.reason)])].join(' '));
  });
  const store = writes.observe(opened);
  const fail = async (error: Error) =>
    await expect(store.transaction(() => Promise.reject(error))).rejects.toBe(error);
  return { writes, lines, fail };
}

test('the last failed write determines the reported cause, and each cause of an outage is logged once', async () => {
  const { writes, lines, fail } = observed();
  for (const error of [full, broken, full, broken]) await fail(error);
  expect(writes.cause).toBe('The disk of the database does not work.');
  await fail(full);
  expect(writes.cause).toBe('The disk of the database is full.');
  expect(lines).toEqual([
    'error database.write-failed The disk of the database is full.',
    'error database.write-failed The disk of the database does not work.',
  ]);
});

test('after the database recovers, no cause is reported, and the next failed write is logged again', async () => {
  const { writes, lines, fail } = observed();
  writes.recovered();
  expect(lines).toEqual([]);
  await fail(full);
  writes.recovered();
  expect(writes.cause).toBeUndefined();
  await fail(full);
  const failed = 'error database.write-failed The disk of the database is full.';
  expect(lines).toEqual([failed, 'info database.writes-again', failed]);
});

test('a write that the database refuses for its content is not a failure of the database', async () => {
  const { writes, lines, fail } = observed();
  await fail(new StoreError('constraint', 'insert', { constraintKind: 'unique' }));
  await fail(new TypeError('wrong'));
  expect([writes.cause, lines]).toEqual([undefined, []]);
});
