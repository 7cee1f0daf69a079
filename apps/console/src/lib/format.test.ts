import { expect, test } from 'vitest';
import { amountRule, localTime, smallestUnit, validityText } from './format.ts';

test.each([
  ['1', '1000000000000000000'],
  [' 0.5 ', '500000000000000000'],
  ['0.0000000000000000001', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['', undefined],
])('parses the typed amount %j as %s in the smallest unit', (text, amount) => {
  expect(smallestUnit(text, 18)).toBe(amount);
});

test.each([0, 1, 18])('the hint for amounts with %i decimals contains a valid example', (decimals) => {
  const [example = ''] = /\d[\d.]*/.exec(amountRule(decimals)) ?? [];
  expect(smallestUnit(example, decimals)).toMatch(/^\d+$/);
});

test('formats a time for an input field in local time, to the minute', () => {
  expect(localTime(new Date(2026, 0, 5, 8, 3, 59).toISOString())).toBe('2026-01-05T08:03');
});

test('reports whether a certificate has expired', () => {
  const until = '2026-11-30T12:00:00Z';
  const end = Date.parse(until);
  expect(validityText(until, 'at noon', end - 1)).toBe('Valid until at noon');
  expect(validityText(until, 'at noon', end)).toBe('Expired at noon');
});
