import { expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

/** Jobs that end when they are told to. */
function controlled() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const job = (name: string) => () =>
    new Promise<string>((resolve) => {
      started.push(name);
      ends.push(() => resolve(name));
    });
  const endNext = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, job, endNext };
}

it('lets callers take turns, so that one who asks much does not hold up the others', async () => {
  const { started, job, endNext } = controlled();
  const queue = createFairQueue({ limit: 1 });
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => queue.run('a', job(name))),
    queue.run('b', job('b1')),
    queue.run('c', job('c1')),
  ];
  for (const _ of all) await endNext();
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
});

it('runs at most the limit at once, and goes on after a job that failed', async () => {
  const { started, job, endNext } = controlled();
  const queue = createFairQueue({ limit: 2 });
  const failed = queue.run('x', () => Promise.reject(new RangeError('no')));
  const all = ['a', 'b', 'c'].map((name) => queue.run('x', job(name)));
  await expect(failed).rejects.toThrow(RangeError);
  await endNext();
  expect(started).toEqual(['a', 'b', 'c']);
  await endNext();
  await endNext();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

it('refuses a caller who waits for half of the room, and everybody when it is full, and says for how long', async () => {
  const { job, endNext } = controlled();
  const queue = createFairQueue({ limit: 1, capacity: 4 });
  const taken = ['a', 'a', 'a'].map((caller) => queue.run(caller, job(caller)));
  const refusal = { problem: 'too-many-requests', retryAfter: 1 };
  await expect(queue.run('a', job('a'))).rejects.toMatchObject(refusal);
  taken.push(...['b', 'c'].map((caller) => queue.run(caller, job(caller))));
  for (const caller of ['b', 'd']) {
    await expect(queue.run(caller, job(caller))).rejects.toMatchObject(refusal);
  }
  for (const _ of taken) await endNext();
  await Promise.all(taken);
});
