import { expect, test } from 'vitest';
import { BatchLimit } from './batch-limit.ts';

test('if a larger request was sent before the limit was lowered, its refusal does not raise the limit', () => {
  const limit = new BatchLimit(100, () => 0, 1_000);
  expect([limit.refused(100), limit.calls]).toEqual([true, 50]);
  expect([limit.refused(25), limit.calls]).toEqual([true, 12]);
  expect([limit.refused(100), limit.calls]).toEqual([false, 12]);
  expect([limit.refused(1), limit.calls]).toEqual([true, 1]);
});

test('the configured batch size is used again after a while without refusals', () => {
  const clock = { ms: 0 };
  const limit = new BatchLimit(100, () => clock.ms, 1_000);
  limit.refused(100);
  clock.ms = 900;
  limit.refused(50);
  clock.ms = 1_899;
  expect(limit.calls).toBe(25);
  clock.ms = 1_900;
  expect(limit.calls).toBe(100);
});
