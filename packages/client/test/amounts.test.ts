import { expect, test } from 'vitest';
import { formatAmount, parseAmount } from '../src/amounts.ts';

const ether = { symbol: 'ETH', decimals: 18 };

test.each([
  ['50000000000000000', '0.05 ETH'],
  ['0', '0 ETH'],
  ['1', '0.000000000000000001 ETH'],
  ['1500000000000000000', '1.5 ETH'],
  ['20000000000000000000', '20 ETH'],
])('formats %s wei as %s, and parses it back', (wei, text) => {
  expect(formatAmount(wei, ether)).toBe(text);
  expect(parseAmount(text.replace(' ETH', ''), ether)).toBe(BigInt(wei));
});

test('rejects a string that is not an amount of the currency', () => {
  for (const text of ['', '-1', '1e18', '0x10', '1,5', '.5', '1.'])
    expect(() => parseAmount(text, ether)).toThrow('is not an amount such as 0.05.');
  expect(() => parseAmount('0.0000000000000000001', ether)).toThrow('more than the 18 decimals of ETH');
  expect(() => parseAmount('1.5', { symbol: 'wei', decimals: 0 })).toThrow('not a whole number of wei');
});
