import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRunner } from './runner.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const failed = vi.fn();

test('any number of wake-ups during a run cause exactly one further run', async () => {
  const turns: (() => void)[] = [];
  const run = vi.fn(() => new Promise<boolean>((resolve) => turns.push(() => resolve(false))));
  const runner = createRunner({ run, failed, retryAfter: 1_000 });
  for (let n = 0; n < 3; n += 1) runner.wake();
  expect(run).toHaveBeenCalledTimes(1);
  turns.shift()?.();
  await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2), { timeout: 30_000 });
  turns.shift()?.();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).toHaveBeenCalledTimes(2);
});

test('a runner repeats its work while there is more to do', async () => {
  const left = [true, true, false];
  const run = vi.fn(async () => left.shift() ?? false);
  createRunner({ run, failed, retryAfter: 1_000 }).wake();
  await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(3), { timeout: 30_000 });
});

test('a failed run is reported and retried after a delay', async () => {
  const error = new Error('No.');
  const run = vi.fn(async () => false).mockRejectedValueOnce(error);
  createRunner({ run, failed, retryAfter: 1_000 }).wake();
  await vi.advanceTimersByTimeAsync(999);
  expect(failed).toHaveBeenCalledExactlyOnceWith(error);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(2);
});

test('after stop() returns, the current run has completed and no new run starts', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const run = vi.fn(() => promise);
  const runner = createRunner({ run, failed, retryAfter: 1_000 });
  runner.wake();
  runner.wake();
  let isStopped = false;
  const stopping = runner.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(isStopped).toBe(false);
  resolve(true);
  await stopping;
  runner.wake();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(run).toHaveBeenCalledTimes(1);
});
