import type { Head } from '@ledger-ops/adapter';
import { expect, test, vi } from 'vitest';
import { createHeads } from './heads.ts';

function world(fails: number) {
  const end = new AbortController();
  const head: Head = { height: 1, hash: 'c/1' };
  const world = { followed: 0, failed: 0, end, head };
  const heads = createHeads({
    head: () => head,
    async follow() {
      world.followed += 1;
      if (world.followed <= fails) throw new Error('down');
    },
    failed: () => {
      world.failed += 1;
    },
    pause: 1,
    signal: end.signal,
  });
  return { ...world, heads, count: () => [world.followed, world.failed] };
}

test('starts following the ledger when the first listener is added, and retries while the ledger is down', async () => {
  const { heads, head, count } = world(3);
  const seen: Head[] = [];
  const stop = heads.onHead((one) => seen.push(one));
  heads.onHead(() => undefined);
  await vi.waitFor(() => expect(count()).toEqual([4, 3]), 30_000);
  heads.announce();
  stop();
  heads.announce();
  expect(seen).toEqual([head]);
});

test('stops retrying when the last listener is removed or the session closes', async () => {
  const gone = world(Number.POSITIVE_INFINITY);
  const stop = gone.heads.onHead(() => undefined);
  await vi.waitFor(() => expect(gone.count()[1]).toBeGreaterThan(1), 30_000);
  stop();
  const ended = world(Number.POSITIVE_INFINITY);
  const seen: Head[] = [];
  ended.heads.onHead((one) => seen.push(one));
  await vi.waitFor(() => expect(ended.count()[1]).toBeGreaterThan(1), 30_000);
  ended.end.abort();
  ended.heads.announce();
  expect(seen).toEqual([]);
  // When the third session has completed its attempt, the other two have made their last attempts.
  const counts = async () => {
    const third = world(20);
    third.heads.onHead(() => undefined);
    await vi.waitFor(() => expect(third.count()).toEqual([21, 20]), 30_000);
    return [gone.count(), ended.count()];
  };
  const before = await counts();
  expect(await counts()).toEqual(before);
});
