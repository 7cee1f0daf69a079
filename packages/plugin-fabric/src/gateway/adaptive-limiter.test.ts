import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAdaptiveLimiter } from './adaptive-limiter.ts';

const limits = { floor: 4, ceiling: 64, slow: 500, measuredFor: 3_000, now: () => performance.now() };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (milliseconds: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, milliseconds));

/**
 * Runs timers in order until all calls have completed. Timers of other test files in this process may never
 * end.
 */
async function allEnded(calls: readonly Promise<unknown>[]): Promise<void> {
  let isPending = true;
  const end = () => {
    isPending = false;
  };
  Promise.all(calls).then(end, end);
  while (isPending) await vi.advanceTimersToNextTimerAsync();
  await Promise.all(calls);
}

/**
 * Sends all calls to the limiter at the same time. Returns the maximum concurrency of the second half, and
 * the time until the last call completed. A timer of another test file may advance the clock before the test
 * reads it.
 */
async function send(count: number, call: () => Promise<void>, options = limits) {
  const semaphore = createAdaptiveLimiter(options);
  const start = performance.now();
  let underWay = 0;
  let begun = 0;
  let most = 0;
  let last = start;
  const all = Array.from({ length: count }, () =>
    semaphore.run(async () => {
      underWay += 1;
      begun += 1;
      if (begun > count / 2) most = Math.max(most, underWay);
      await call();
      underWay -= 1;
      last = performance.now();
    }),
  );
  await allEnded(all);
  return { most, took: last - start };
}

/** Returns a server that processes this many calls concurrently, 10 ms each. The others wait in order. */
function serverOf(workers: number): () => Promise<void> {
  const free = Array.from({ length: workers }, () => 0);
  return () => {
    const at = performance.now();
    free.sort((a, b) => a - b);
    const done = Math.max(at, free[0] ?? 0) + 10;
    free[0] = done;
    return after(done - at);
  };
}

test('the limiter keeps a server with two workers busy with at most 16 concurrent calls', async () => {
  const { most, took } = await send(2_000, serverOf(2));
  expect(took).toBe(10_000);
  expect(most).toBeLessThanOrEqual(16);
});

test('the limiter sends twenty concurrent calls to a server with twenty workers', async () => {
  const { most, took } = await send(2_000, serverOf(20));
  expect(took).toBeLessThan(1_200);
  expect(most).toBeLessThanOrEqual(40);
});

test('the limiter sends the maximum number of concurrent calls to a distant server that does not queue calls', async () => {
  const { most } = await send(1_000, () => after(200));
  expect(most).toBe(64);
});

test('calls that hang delay other calls only until they count as slow', async () => {
  let nth = 0;
  const { took } = await send(8, () => after(nth++ < 4 ? 60_000 : 10));
  expect(took).toBe(60_000);
  nth = 0;
  const semaphore = createAdaptiveLimiter(limits);
  const ended: number[] = [];
  const all = Array.from({ length: 8 }, (_, index) =>
    semaphore.run(async () => {
      await after(index < 4 ? 60_000 : 10);
      ended.push(performance.now());
    }),
  );
  const start = performance.now();
  await vi.advanceTimersByTimeAsync(510);
  expect(ended).toEqual(Array.from({ length: 4 }, () => start + 510));
  await allEnded(all);
});

test('a failed call releases its permit, and its duration is not measured', async () => {
  const semaphore = createAdaptiveLimiter({ ...limits, floor: 1, ceiling: 1 });
  const refused = semaphore.run(() => Promise.reject(new Error('no')));
  const next = semaphore.run(() => Promise.resolve('yes'));
  await expect(refused).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
