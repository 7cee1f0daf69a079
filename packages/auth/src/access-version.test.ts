import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { coalesce } from './access-version.ts';

/** Reads that are answered when the test says so. */
function reads() {
  const open: ((value: number) => void)[] = [];
  const read = coalesce(() => new Promise<number>((resolve) => void open.push(resolve)));
  return { open, read };
}

test('calls of one turn of the event loop share one read, also across microtasks', async () => {
  const { open, read } = reads();
  const first = read();
  await Promise.resolve();
  const second = read();
  await setImmediate();
  expect(open).toHaveLength(1);
  open[0]?.(1);
  expect(await Promise.all([first, second])).toEqual([1, 1]);
});

test('a read that is under way is not joined: it may have looked before', async () => {
  const { open, read } = reads();
  const first = read();
  await setImmediate();
  const late = [read(), read()];
  await setImmediate();
  expect(open).toHaveLength(1);
  open[0]?.(1);
  expect(await first).toBe(1);
  await setImmediate();
  expect(open).toHaveLength(2);
  open[1]?.(2);
  expect(await Promise.all(late)).toEqual([2, 2]);
});

test('a read that fails is nobody else’s failure', async () => {
  let fails = true;
  const read = coalesce(async () => {
    if (fails) throw new Error('no database');
    return 1;
  });
  await expect(read()).rejects.toThrow('no database');
  fails = false;
  expect(await read()).toBe(1);
});
