import { expect, test } from 'vitest';
import { isJson, isJsonObject } from './json.ts';

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

test('accepts only plain, finite JSON', () => {
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

test('rejects a sparse array as JSON', () => {
  expect(isJson(new Array(2))).toBe(false);
});

test('rejects JSON with more than 64 levels', () => {
  expect(isJson(nested(64))).toBe(true);
  expect(isJson(nested(65))).toBe(false);
});

test('does not accept lists, null or strings as JSON objects', () => {
  expect(isJsonObject({ a: [1] })).toBe(true);
  for (const value of [[], null, 'text', { a: 1n }]) expect(isJsonObject(value)).toBe(false);
});
