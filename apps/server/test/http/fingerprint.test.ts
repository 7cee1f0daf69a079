import { expect, test } from 'vitest';
import { fingerprintOf } from '../../src/http/request/fingerprint.ts';

const key = new Uint8Array(32);
const of = (body: unknown) => fingerprintOf(key, 'send', body);
const body = { b: [], a: {}, z: [[1, 'x'], { password: 'p', n: null }], transient: { k: 'v' }, t: '' };

test('a fingerprint equals the one that an earlier version stored', async () => {
  expect(await of({ ...body, password: 'p' })).toBe('Sqwvk4MYBoy059ZySdgiPaXfRKfn4vwrWPC-6jWrrFc');
});

test('a fingerprint ignores secrets and member order, and distinguishes every other value', async () => {
  const same = await of(body);
  const { t, ...rest } = body;
  expect(await of({ t, ...rest, password: 'q', transient: { k: 'w' } })).toBe(same);
  for (const other of [
    { b: [[]] },
    { a: { c: {} } },
    { b: {} },
    { z: [[1], 'x'] },
    { transient: { l: 'v' } },
  ])
    expect(await of({ ...body, ...other })).not.toBe(same);
});

test('fingerprinting a deeply nested value costs no more than a flat one', async () => {
  const deep = (depth: number) => {
    let value: unknown = Array.from({ length: 20_000 }, () => '1');
    for (let level = 0; level < depth; level += 1) value = [value];
    return value;
  };
  const costs = async (value: unknown) => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5; round += 1) {
      const before = process.threadCpuUsage().user;
      await of(value);
      least = Math.min(least, process.threadCpuUsage().user - before);
    }
    return least;
  };
  const flat = await costs(deep(0));
  expect(await costs(deep(60))).toBeLessThan(3 * flat + 5_000);
});
