import { expect, it } from 'vitest';
import { createDerivations } from './derivations.ts';

/** Jobs that end when they are told to. */
function controlled() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const job = (name: string) => () =>
    new Promise<string>((resolve) => {
      started.push(name);
      ends.push(() => resolve(name));
    });
  return {
    started,
    job,
    endNext: async () => {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('runs at most the limit at once', async () => {
  const { started, job, endNext } = controlled();
  const derivations = createDerivations({ limit: 2 });
  const all = Promise.all(['a', 'b', 'c'].map((name) => derivations.run('one', job(name))));
  expect(started).toEqual(['a', 'b']);
  await endNext();
  expect(started).toEqual(['a', 'b', 'c']);
  await endNext();
  await endNext();
  expect(await all).toEqual(['a', 'b', 'c']);
});

it('takes turns among callers: one who asks much does not hold up the others', async () => {
  const { started, job, endNext } = controlled();
  const derivations = createDerivations({ limit: 1 });
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => derivations.run('a', job(name))),
    derivations.run('b', job('b1')),
    derivations.run('c', job('c1')),
  ];
  for (const _ of all) await endNext();
  await Promise.all(all);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
});

it('refuses a caller who waits for half of the room, and everybody when it is full', async () => {
  const { job, endNext } = controlled();
  const derivations = createDerivations({ limit: 1, capacity: 4 });
  const taken = ['a', 'a', 'a', 'b', 'b'].map((caller) => derivations.run(caller, job(caller)));
  for (const caller of ['a', 'b', 'c']) {
    await expect(derivations.run(caller, job(caller))).rejects.toMatchObject({
      problem: 'too-many-requests',
      retryAfter: 1,
    });
  }
  for (const _ of taken) await endNext();
  await Promise.all(taken);
});

it('goes on after a job that failed', async () => {
  const derivations = createDerivations({ limit: 1 });
  const failed = derivations.run('a', () => Promise.reject(new RangeError('no')));
  const next = derivations.run('a', async () => 'next');
  await expect(failed).rejects.toThrow(RangeError);
  expect(await next).toBe('next');
});
