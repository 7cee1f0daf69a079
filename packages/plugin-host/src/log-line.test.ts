import { expect, test } from 'vitest';
import { isLine } from './log-line.ts';

test('accepts ordinary log fields as a line', () => {
  expect(isLine({})).toBe(true);
  expect(isLine({ block: 17, hash: '0x'.padEnd(66, 'a'), peers: ['one', 'two'], more: { none: null } })).toBe(
    true,
  );
});

test('rejects log lines with many values, long strings, long names or nested lists', () => {
  expect(isLine(Object.fromEntries(Array.from({ length: 300 }, (_, one) => [`k${one}`, one])))).toBe(false);
  expect(isLine({ text: 'x'.repeat(70_000) })).toBe(false);
  expect(isLine({ ['x'.repeat(70_000)]: 1 })).toBe(false);
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(isLine(deep)).toBe(false);
});
