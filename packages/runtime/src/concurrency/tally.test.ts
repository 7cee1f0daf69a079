import { expect, test } from 'vitest';
import { createTally } from './tally.ts';

test('a tally counts each name separately, and forgets a name whose count is zero', () => {
  const tally = createTally();
  expect([tally.add('a'), tally.add('a'), tally.add('b')]).toEqual([1, 2, 1]);
  expect(tally.remove('a')).toBe(1);
  expect(['a', 'b', 'c'].map((name) => tally.of(name))).toEqual([1, 1, 0]);
  expect([tally.remove('a'), tally.of('a'), tally.add('a')]).toEqual([0, 0, 1]);
  expect([tally.add('a', 3), tally.remove('a', 2), tally.remove('a', 2)]).toEqual([4, 2, 0]);
});
