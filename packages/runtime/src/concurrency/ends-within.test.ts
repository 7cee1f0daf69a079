import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endsWithin } from './ends-within.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('work that ends in time ends the wait, and leaves no timer', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = endsWithin(promise, 1_000);
  await vi.advanceTimersByTimeAsync(999);
  resolve('done');
  expect(await waiting).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('work that takes longer is waited for no more, and goes on', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = endsWithin(promise, 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBe(false);
  resolve('done');
  expect(await promise).toBe('done');
});

test('work that fails in time fails the wait, and leaves no timer', async () => {
  const error = new Error('No.');
  await expect(endsWithin(Promise.reject(error), 1_000)).rejects.toBe(error);
  expect(vi.getTimerCount()).toBe(0);
});

test('what fails after the wait fails nobody but who waits for the work itself', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const waiting = endsWithin(promise, 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBe(false);
  const error = new Error('Too late.');
  reject(error);
  await expect(promise).rejects.toBe(error);
});
