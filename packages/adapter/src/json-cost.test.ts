import { expect, test } from 'vitest';
import { boundedJson, isCheapJson, longestDocument } from './json-cost.ts';

test('the JSON cost of a string is 1 per plain character and more per escaped character', () => {
  for (const [character, cost] of [
    ['x', 1],
    ['é', 1],
    ['😀', 2],
    ['"', 9],
    ['\n', 9],
    ['\u0001', 33],
    ['\ud800', 65],
  ] as const) {
    expect(isCheapJson(character.repeat(100), 8 + 100 * cost)).toBe(true);
    expect(isCheapJson(character.repeat(100), 8 + 100 * cost - 1)).toBe(false);
  }
});

test('the JSON cost counts names and values at every level', () => {
  expect(isCheapJson({ name: [1, null, true, { a: 'b' }] }, 4 + 1 + 1 + 7 * 8)).toBe(true);
  expect(isCheapJson({ name: [1, null, true, { a: 'b' }] }, 4 + 1 + 1 + 7 * 8 - 1)).toBe(false);
});

test('boundedJson returns { omitted: true } for a value of more than 4 MiB as JSON, and for one that is not JSON', () => {
  const longest = 'x'.repeat(longestDocument - 8);
  expect(boundedJson(longest)).toBe(longest);
  expect(boundedJson(`${longest}x`)).toEqual({ omitted: true });
  expect(boundedJson({ list: Array.from({ length: longestDocument / 8 }, () => 1) })).toEqual({
    omitted: true,
  });
  expect(boundedJson({ amount: 1n })).toEqual({ omitted: true });
});
