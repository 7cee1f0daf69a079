import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

const times = { first: 250, longest: 30_000 };

test('each failure in a row doubles the wait, up to the longest', () => {
  expect([1, 2, 3, 4].map((failures) => backoff(failures, times))).toEqual([250, 500, 1000, 2000]);
  expect(backoff(8, times)).toBe(30_000);
  expect(backoff(100_000, times)).toBe(30_000);
});

test('chance takes off half at most', () => {
  expect(backoff(1, times, 0)).toBe(125);
  expect(backoff(1, times, 0.5)).toBe(187.5);
  expect(backoff(1, times, 1)).toBe(250);
});
