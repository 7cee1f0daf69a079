import { expect, test } from 'vitest';
import { Mutex } from './mutex.ts';

test('tasks of a mutex run one after another in the order of their calls, even after a failed task', async () => {
  const mutex = new Mutex();
  const began: number[] = [];
  const turns = [1, 2, 3].map(() => Promise.withResolvers<number>());
  const running = turns.map(({ promise }, at) =>
    mutex.run(() => {
      began.push(at);
      return promise;
    }),
  );
  const ends = Promise.allSettled(running);
  // The promises resolve out of order, but each task starts only after the one before it.
  turns[2]?.resolve(2);
  turns[1]?.reject(new Error('No.'));
  await Promise.allSettled([turns[1]?.promise, turns[2]?.promise]);
  expect(began).toEqual([0]);
  turns[0]?.resolve(0);
  expect(await ends).toMatchObject([
    { status: 'fulfilled', value: 0 },
    { status: 'rejected', reason: { message: 'No.' } },
    { status: 'fulfilled', value: 2 },
  ]);
  expect(began).toEqual([0, 1, 2]);
});
