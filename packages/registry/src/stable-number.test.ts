import { expect, test } from 'vitest';
import { stableNumber } from './stable-number.ts';

test.each([
  ['', 0x011c9dc5],
  ['a', 0x640c292c],
  ['foobar', 0x3f9cf968],
])('%j has the number that FNV-1a gives it, without the sign bit', (name, number) => {
  expect(stableNumber(name)).toBe(number);
});
