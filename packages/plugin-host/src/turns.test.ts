import { expect, onTestFinished, test, vi } from 'vitest';
import { createTurns } from './turns.ts';

test('turns are taken by few at once, in order, and each is over once', async () => {
  const turns = createTurns(2, 60_000);
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

test('a turn that does not end holds nobody up for longer than its time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = createTurns(1, 5_000);
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
  // Its end, when it comes, is not the end of another's turn.
  first();
  let isThird = false;
  void turns.take().then(() => {
    isThird = true;
  });
  await Promise.resolve();
  expect(isThird).toBe(false);
  (await next)();
});
