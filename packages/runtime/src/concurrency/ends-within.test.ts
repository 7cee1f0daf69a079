import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchTimers } from '../../../../testing/timers.ts';
import { endsWithin } from './ends-within.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('endsWithin returns true when the work completes before the time limit, and leaves no timer', async () => {
  const isLeft = watchTimers();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = endsWithin(promise, 1_000);
  await vi.advanceTimersByTimeAsync(999);
  resolve('done');
  expect(await waiting).toBe(true);
  expect(isLeft(1_000)).toBe(false);
});

test('endsWithin returns false at the time limit, and the work continues', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = endsWithin(promise, 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBe(false);
  resolve('done');
  expect(await promise).toBe('done');
});

test('endsWithin rejects if the work fails before the time limit, and leaves no timer', async () => {
  const isLeft = watchTimers();
  const error = new Error('No.');
  await expect(endsWithin(Promise.reject(error), 1_000)).rejects.toBe(error);
  expect(isLeft(1_000)).toBe(false);
});

test('a failure after the time limit of endsWithin reaches only callers that await the work itself', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const waiting = endsWithin(promise, 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBe(false);
  const error = new Error('Too late.');
  reject(error);
  await expect(promise).rejects.toBe(error);
});
