import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSleeper } from './sleeper.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function asleep(sleeping: Promise<void>): () => boolean {
  let isAsleep = true;
  void sleeping.then(() => {
    isAsleep = false;
  });
  return () => isAsleep;
}

test('sleeps until its time is over, or until it is woken before', async () => {
  const sleeper = createSleeper();
  const first = asleep(sleeper.sleep(1_000));
  await vi.advanceTimersByTimeAsync(999);
  expect(first()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(first()).toBe(false);
  const second = asleep(sleeper.sleep(1_000));
  sleeper.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(second()).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('sleeps without end where there is none, and no more once it is stopped', async () => {
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
