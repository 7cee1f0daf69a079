import { expect, test, vi } from 'vitest';
import { Batcher } from './batcher.ts';

/** Creates a batcher and records its batches. The test completes the writes. */
function setUp({ limit = 10, separate = false } = {}) {
  const batches: string[][] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const batcher = new Batcher<string>({
    limit,
    separate: () => separate,
    write(items) {
      batches.push([...items]);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    },
  });
  /** Completes batch number `at` as soon as its write has started. */
  const end = async (at: number, error?: Error) => {
    await vi.waitFor(() => expect(batches.length).toBeGreaterThan(at), 30_000);
    if (error === undefined) ends[at]?.resolve();
    else ends[at]?.reject(error);
  };
  return { batcher, batches, end };
}

const failure = new Error('No.');

test('items that are added together, or during a write, are written in one batch, in order', async () => {
  const { batcher, batches, end } = setUp();
  const first = ['a', 'b'].map((item) => batcher.add(item));
  await vi.waitFor(() => expect(batches).toEqual([['a', 'b']]), 30_000);
  const next = ['c', 'd'].map((item) => batcher.add(item));
  expect(batches).toHaveLength(1);
  await end(0);
  await Promise.all(first);
  await end(1);
  await Promise.all(next);
  expect(batches).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

test('a batch contains at most the maximum number of items', async () => {
  const { batcher, batches, end } = setUp({ limit: 2 });
  const all = ['a', 'b', 'c'].map((item) => batcher.add(item));
  await end(0);
  await end(1);
  await Promise.all(all);
  expect(batches).toEqual([['a', 'b'], ['c']]);
});

test('if no single item caused a failure, all items of the batch fail, and the next batch is written', async () => {
  const { batcher, batches, end } = setUp();
  const both = Promise.allSettled([batcher.add('a'), batcher.add('b')]);
  await end(0, failure);
  expect(await both).toEqual([1, 2].map(() => ({ status: 'rejected', reason: failure })));
  const next = batcher.add('c');
  await end(1);
  await next;
  expect(batches).toEqual([['a', 'b'], ['c']]);
});

test('if a single item may have caused a failure, writes items one by one, so that only that item fails', async () => {
  const { batcher, batches, end } = setUp({ separate: true });
  const all = Promise.allSettled(['a', 'b', 'c'].map((item) => batcher.add(item)));
  await end(0, failure);
  await end(1);
  await end(2, failure);
  await end(3);
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(batches).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
});

test('the batcher is idle once all items are written', async () => {
  const { batcher, batches, end } = setUp({ limit: 1 });
  await batcher.idle();
  const all = Promise.all([batcher.add('a'), batcher.add('b')]);
  let isIdle = false;
  const idle = batcher.idle().then(() => {
    isIdle = true;
  });
  await end(0);
  await vi.waitFor(() => expect(batches).toHaveLength(2), 30_000);
  expect(isIdle).toBe(false);
  await end(1);
  await Promise.all([all, idle]);
});
