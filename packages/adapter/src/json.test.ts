import { expect, test } from 'vitest';
import { isJson, isJsonObject } from './json.ts';

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

test('JSON is plain and finite', () => {
  for (const value of [null, true, 1.5, 'text', [], [1, ['a']], { a: undefined, b: { c: null } }]) {
    expect(isJson(value)).toBe(true);
  }
  const inherited = Object.fromEntries([['__proto__', 1]]);
  for (const value of [
    undefined,
    1n,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Date(),
    new Map(),
    inherited,
  ]) {
    expect(isJson(value)).toBe(false);
  }
});

test('a list with a hole is no JSON', () => {
  expect(isJson(new Array(2))).toBe(false);
});

test('JSON has at most 64 levels', () => {
  expect(isJson(nested(64))).toBe(true);
  expect(isJson(nested(65))).toBe(false);
});

test('a JSON object is no list, no null and no text', () => {
  expect(isJsonObject({ a: [1] })).toBe(true);
  for (const value of [[], null, 'text', { a: 1n }]) expect(isJsonObject(value)).toBe(false);
});
