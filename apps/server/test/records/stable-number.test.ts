import { expect, test } from 'vitest';
import { stableNumber } from '../../src/routes/legacy/stable-number.ts';

test.each([
  ['', 0x011c9dc5],
  ['a', 0x640c292c],
  ['foobar', 0x3f9cf968],
])('the stable number of %j is its FNV-1a hash without the sign bit', (name, number) => {
  expect(stableNumber(name)).toBe(number);
});
