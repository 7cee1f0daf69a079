import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gatheredLooks } from '../../src/http/gathered.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('an idle stream checks for changes immediately, and a busy one waits longer the more streams there are', () => {
  let pace = 1;
  const look = vi.fn();
  const looks = gatheredLooks(() => pace, look);
  looks.soon();
  vi.advanceTimersByTime(0);
  expect(look).toHaveBeenCalledTimes(1);
  for (const _ of [1, 2, 3]) looks.soon();
  vi.advanceTimersByTime(24);
  expect(look).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(look).toHaveBeenCalledTimes(2);
  pace = 4;
  looks.soon();
  vi.advanceTimersByTime(99);
  expect(look).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1);
  expect(look).toHaveBeenCalledTimes(3);
  looks.soon();
  looks.stop();
  vi.runAllTimers();
  expect(look).toHaveBeenCalledTimes(3);
});
