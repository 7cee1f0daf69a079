import { expect, onTestFinished, test, vi } from 'vitest';
import { Turns } from './turns.ts';

test('grants free permits immediately, further ones in order of request, and ignores a second release of a permit', async () => {
  const turns = new Turns(2, 60_000);
  const begun: number[] = [];
  const all = [1, 2, 3, 4].map(async (one) => {
    const over = await turns.take();
    begun.push(one);
    return over;
  });
  const first = await all[0];
  await all[1];
  expect(begun).toEqual([1, 2]);
  first?.();
  first?.();
  await all[2];
  expect(begun).toEqual([1, 2, 3]);
});

test('expires a permit after the maximum time, and releases an expired permit only once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = new Turns(1, 5_000);
  const first = await turns.take();
  let isNext = false;
  const next = turns.take().then((over) => {
    isNext = true;
    return over;
  });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(isNext).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isNext).toBe(true);
  // Releasing an expired permit must not release the permit of its next holder.
  first();
  let isThird = false;
  void turns.take().then(() => {
    isThird = true;
  });
  await Promise.resolve();
  expect(isThird).toBe(false);
  (await next)();
});

test('alternates between tenants, and gives each tenant at most half of the permits', async () => {
  const turns = new Turns(4, 60_000);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const take = async (name: string, tenant?: string) => {
    ends.set(name, await turns.take(tenant));
    begun.push(name);
  };
  const begunAfter = async (name?: string) => {
    if (name !== undefined) ends.get(name)?.();
    // When queued microtasks are done, all work that may start has started.
    await new Promise((resolve) => setImmediate(resolve));
    return begun.splice(0);
  };
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void take(name, 'a');
  expect(await begunAfter()).toEqual(['a1', 'a2']);
  for (const name of ['b1', 'b2']) void take(name, 'b');
  expect(await begunAfter()).toEqual(['b1', 'b2']);
  for (const name of ['c1', 'c2']) void take(name, 'c');
  void take('own');
  // The tenant served last comes last.
  expect(await begunAfter('a1')).toEqual(['a3']);
  expect(await begunAfter('b1')).toEqual(['c1']);
  expect(await begunAfter('b2')).toEqual(['own']);
  expect(await begunAfter('a2')).toEqual(['a4']);
  expect(await begunAfter('own')).toEqual(['c2']);
  expect(await begunAfter('c1')).toEqual([]);
  expect(await begunAfter('a3')).toEqual(['a5']);
});

test('the host can use all permits, and a tenant can use the only permit', async () => {
  const turns = new Turns(2, 60_000);
  const ends = [await turns.take(), await turns.take()];
  for (const end of ends) end();
  const only = new Turns(1, 60_000);
  (await only.take('a'))();
  (await only.take('a'))();
});
