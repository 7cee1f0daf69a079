import { expect, test } from 'vitest';
import { EventRate } from './event-rate.ts';

test('after a burst, an organization is limited to the average rate, without affecting other organizations', () => {
  const rate = new EventRate();
  const now = 1_000_000;
  rate.add('a', 16 * 1_048_576, now);
  expect(rate.freeAt('a')).toBe(now);
  rate.add('a', 2 * 1_048_576, now);
  expect(rate.freeAt('a')).toBe(now + 2_000);
  expect(rate.freeAt('b')).toBe(0);
  rate.prune(now + 2_000);
  expect(rate.freeAt('a')).toBe(now + 2_000);
  rate.prune(now + 18_000);
  expect(rate.freeAt('a')).toBe(0);
});
