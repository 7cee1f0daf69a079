import { expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.ts';
import { createFairShares } from './fair-shares.ts';

/** Creates jobs that run until the test completes them. */
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

it('the queue alternates between callers, so that a caller with many jobs does not delay the others', async () => {
  const { started, job, endNext } = controlled();
  const queue = createFairQueue({ limit: 1 });
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => queue.run(['a'], job(name))),
    queue.run(['b'], job('b1')),
    queue.run(['c'], job('c1')),
  ];
  for (const _ of all) await endNext();
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
});

it('runs at most the maximum number of jobs concurrently, and continues after a failed job', async () => {
  const { started, job, endNext } = controlled();
  const queue = createFairQueue({ limit: 2 });
  const failed = queue.run(['x'], () => Promise.reject(new RangeError('no')));
  const all = ['a', 'b', 'c'].map((name) => queue.run(['x'], job(name)));
  await expect(failed).rejects.toThrow(RangeError);
  await endNext();
  expect(started).toEqual(['a', 'b', 'c']);
  await endNext();
  await endNext();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

it('the queue alternates between organizations first, then between their projects, then between callers', async () => {
  const { started, job, endNext } = controlled();
  const queue = createFairQueue({ limit: 1 });
  const all = [
    ...['ap1', 'ap2', 'ap3'].map((name) => queue.run(['a', 'p', name], job(name))),
    queue.run(['a', 'q', 'x'], job('aq')),
    queue.run(['b', 'r', 'x'], job('br1')),
    queue.run(['b', 'r', 'x'], job('br2')),
  ];
  for (const _ of all) await endNext();
  await Promise.all(all);
  // The organizations take turns, regardless of how many callers and projects each of them has.
  expect(started).toEqual(['ap1', 'ap2', 'br1', 'aq', 'br2', 'ap3']);
});

it('the queue keeps capacity for other organizations while one runs its maximum of jobs', async () => {
  const { started, job, endNext } = controlled();
  const queue = createFairQueue({ limit: 3, limitEach: 2 });
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => queue.run(['a', 'p', name], job(name))),
    queue.run(['b', 'q', 'x'], job('b1')),
  ];
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(['a1', 'a2', 'b1']);
  for (const _ of all) await endNext();
  await Promise.all(all);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('refuses the caller with the most waiting jobs when the queue is full, with a retryAfter', async () => {
  const { started, job, endNext } = controlled();
  const queue = createFairQueue({ limit: 1, capacity: 4 });
  const refusal = { problem: 'too-many-requests', retryAfter: 1 };
  // A single organization may use the whole capacity.
  const first = ['a0', 'a1', 'a2'].map((name) => queue.run(['a', 'p', 'x'], job(name)));
  const last = ['a3', 'a4'].map((name) => queue.run(['a', 'p', 'y'], job(name)));
  await expect(queue.run(['a', 'p', 'x'], job('a5'))).rejects.toMatchObject(refusal);
  // The newcomers are accepted. Instead, the newest jobs of the organization with the most jobs are refused.
  const [, giving] = last;
  const others = ['b1', 'b2'].map((name) => queue.run(['b', 'q', 'x'], job(name)));
  await expect(giving).rejects.toMatchObject(refusal);
  await expect(first[2]).rejects.toMatchObject(refusal);
  await expect(queue.run(['b', 'q', 'x'], job('b3'))).rejects.toMatchObject(refusal);
  for (let turn = 0; turn < 5; turn += 1) await endNext();
  expect(await Promise.all([first[0], first[1], last[0], ...others])).toEqual(['a0', 'a1', 'a3', 'b1', 'b2']);
  expect(started).toEqual(['a0', 'a1', 'b1', 'a3', 'b2']);
});

it('createFairShares counts the items of each holder, and forgets holders without items', () => {
  const shares = createFairShares<string>();
  const remove = shares.add(['a', 'p'], 'one');
  shares.add(['a', 'q'], 'two');
  expect([shares.size, shares.count(['a']), shares.count(['a', 'p']), shares.count(['b'])]).toEqual([
    2, 2, 1, 0,
  ]);
  remove();
  remove();
  expect([shares.size, shares.count(['a']), shares.count(['a', 'p'])]).toEqual([1, 1, 0]);
  expect(shares.takeForNewcomer(['b'], 'oldest')).toBeUndefined();
  shares.add(['a', 'q'], 'three');
  expect(shares.takeForNewcomer(['b'], 'oldest')).toBe('two');
  expect([shares.takeTurn(), shares.takeTurn(), shares.size]).toEqual([
    { holder: ['a', 'q'], item: 'three' },
    undefined,
    0,
  ]);
});
