import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAdaptiveLimiter } from './adaptive-limiter.ts';

const limits = { floor: 4, ceiling: 64, slow: 500, measuredFor: 3_000, now: () => performance.now() };

beforeEach(() => void vi.useFakeTimers({ loopLimit: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const after = (milliseconds: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, milliseconds));

/** Calls that the limiter gets all at once; how many of the later half were under way together at most. */
async function send(count: number, call: () => Promise<void>, options = limits) {
  const semaphore = createAdaptiveLimiter(options);
  const start = performance.now();
  let underWay = 0;
  let begun = 0;
  let most = 0;
  const all = Array.from({ length: count }, () =>
    semaphore.run(async () => {
      underWay += 1;
      begun += 1;
      if (begun > count / 2) most = Math.max(most, underWay);
      await call();
      underWay -= 1;
    }),
  );
  await vi.runAllTimersAsync();
  await Promise.all(all);
  return { most, took: performance.now() - start };
}

/** So many are worked on at once, 10 ms each; the others wait in their order. */
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

test('what works on two at once is kept busy, and gets few more', async () => {
  const { most, took } = await send(2_000, serverOf(2));
  expect(took).toBe(10_000);
  expect(most).toBeLessThanOrEqual(16);
});

test('what works on twenty at once gets them', async () => {
  const { most, took } = await send(2_000, serverOf(20));
  expect(took).toBeLessThan(1_200);
  expect(most).toBeLessThanOrEqual(40);
});

test('what is far away, and keeps nobody waiting, gets as many as there may be', async () => {
  const { most } = await send(1_000, () => after(200));
  expect(most).toBe(64);
});

test('calls that hang hold up the others only until they count as slow', async () => {
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
  await vi.runAllTimersAsync();
  await Promise.all(all);
});

test('a call that fails gives its place up, and counts for nothing', async () => {
  const semaphore = createAdaptiveLimiter({ ...limits, floor: 1, ceiling: 1 });
  const refused = semaphore.run(() => Promise.reject(new Error('no')));
  const next = semaphore.run(() => Promise.resolve('yes'));
  await expect(refused).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
