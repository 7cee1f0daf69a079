import { expect, test } from 'vitest';
import { isLine } from './log-line.ts';

test('what adapters say in a line is one', () => {
  expect(isLine({})).toBe(true);
  expect(isLine({ block: 17, hash: '0x'.padEnd(66, 'a'), peers: ['one', 'two'], more: { none: null } })).toBe(
    true,
  );
});

test('many values, a long text, long names, and lists within lists are none', () => {
  expect(isLine(Object.fromEntries(Array.from({ length: 300 }, (_, one) => [`k${one}`, one])))).toBe(false);
  expect(isLine({ text: 'x'.repeat(70_000) })).toBe(false);
  expect(isLine({ ['x'.repeat(70_000)]: 1 })).toBe(false);
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(isLine(deep)).toBe(false);
});
