import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchTimers } from '../../../../testing/timers.ts';
import { createSleeper } from './sleeper.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function asleep(sleeping: Promise<void>): () => boolean {
  let isAsleep = true;
  void sleeping.then(() => {
    isAsleep = false;
  });
  return () => isAsleep;
}

test('sleeps until the time limit or an earlier wake-up', async () => {
  const sleeper = createSleeper();
  const first = asleep(sleeper.sleep(1_000));
  await vi.advanceTimersByTimeAsync(999);
  expect(first()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(first()).toBe(false);
  const isLeft = watchTimers();
  const second = asleep(sleeper.sleep(2_000));
  sleeper.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(second()).toBe(false);
  expect(isLeft(2_000)).toBe(false);
});

test('sleeps indefinitely without a time limit, and no longer sleeps after stop()', async () => {
  const sleeper = createSleeper();
  const endless = asleep(sleeper.sleep());
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(endless()).toBe(true);
  sleeper.stop();
  await vi.advanceTimersByTimeAsync(0);
  expect(endless()).toBe(false);
  const after = asleep(sleeper.sleep());
  await vi.advanceTimersByTimeAsync(0);
  expect(after()).toBe(false);
});
