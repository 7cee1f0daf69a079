import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

const pauses = { first: 100, longest: 1_000 };

test('the delay doubles with each failure, up to the longest delay', () => {
  expect([1, 2, 3, 4, 5, 6].map((failures) => backoff(failures, pauses))).toEqual([
    100, 200, 400, 800, 1_000, 1_000,
  ]);
});

test('there is no delay without a failure', () => {
  expect(backoff(0, pauses)).toBe(0);
});

test('the delay never exceeds the longest one, after any number of failures', () => {
  expect(backoff(5_000, pauses)).toBe(1_000);
  expect(backoff(5_000, { first: 0, longest: 1_000 })).toBe(0);
});

test('jitter shortens the delay by at most half', () => {
  expect(backoff(2, pauses, 0)).toBe(100);
  expect(backoff(2, pauses, 0.5)).toBe(150);
  expect(backoff(2, pauses, 1)).toBe(200);
});
