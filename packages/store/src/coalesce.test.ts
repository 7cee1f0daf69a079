import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { coalesce } from './coalesce.ts';

/** Resolves when the reads that were requested in this turn of the event loop have settled. */
async function nextTurn() {
  await setImmediate();
  await setImmediate();
}

/** Creates reads that the test resolves. */
function reads() {
  let ended = 0;
  const open: ((value: number) => void)[] = [];
  const read = coalesce(
    { ended: () => ended },
    () => new Promise<number>((resolve) => void open.push(resolve)),
  );
  const commit = () => {
    ended += 1;
  };
  return { open, read, commit };
}

test('calls within one turn of the event loop share one read, even across microtasks', async () => {
  const { open, read } = reads();
  const first = read();
  await Promise.resolve();
  const second = read();
  await nextTurn();
  expect(open).toHaveLength(1);
  open[0]?.(1);
  expect(await Promise.all([first, second])).toEqual([1, 1]);
});

test('a call does not join a read that started in an earlier turn, because its result may be outdated', async () => {
  const { open, read } = reads();
  const first = read();
  await nextTurn();
  const late = [read(), read()];
  await nextTurn();
  expect(open).toHaveLength(1);
  open[0]?.(1);
  expect(await first).toBe(1);
  await nextTurn();
  expect(open).toHaveLength(2);
  open[1]?.(2);
  expect(await Promise.all(late)).toEqual([2, 2]);
});

test('a failed read does not fail later calls', async () => {
  let fails = true;
  const read = coalesce({ ended: () => 0 }, async () => {
    if (fails) throw new Error('no database');
    return 1;
  });
  await expect(read()).rejects.toThrow('no database');
  await nextTurn();
  fails = false;
  expect(await read()).toBe(1);
});

test('a call after a commit in the same turn starts a new read', async () => {
  const { open, read, commit } = reads();
  const before = read();
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
  expect(open).toHaveLength(1);
  commit();
  const after = read();
  open[0]?.(1);
  expect(await before).toBe(1);
  await nextTurn();
  open[1]?.(2);
  expect(await after).toBe(2);
});
