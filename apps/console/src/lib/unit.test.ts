import { expect, test } from 'vitest';
import { shownNumber, storedNumber, unitOf } from './unit.ts';

const seconds = { name: 'seconds', decimals: 3 };

test.each([
  ['500', '0.5'],
  ['10000', '10'],
  ['1', '0.001'],
  ['0x10', '0x10'],
])('shows %s milliseconds as %s seconds, and stores the same number again', (stored, shown) => {
  expect(shownNumber(stored, seconds)).toBe(shown);
  if (shown !== stored) expect(storedNumber(shown, seconds)).toBe(stored);
});

test.each(['0.0005', 'soon', '-1'])('rejects %j, which is not a number of milliseconds', (typed) => {
  expect(storedNumber(typed, seconds)).toBeUndefined();
});

test('reads the unit of a number from its JSON Schema', () => {
  expect(unitOf({ type: 'integer', 'x-unit': seconds })).toEqual(seconds);
  expect(unitOf({ 'x-unit': 'seconds' })).toBeUndefined();
  expect(shownNumber('5', undefined)).toBe('5');
});
