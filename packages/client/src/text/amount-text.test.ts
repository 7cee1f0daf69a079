import { expect, test } from 'vitest';
import { amountText, shortAmountText } from './amount-text.ts';

const ether = { symbol: 'ETH', decimals: 18 };

test.each([
  ['0', '0 ETH', '0 ETH'],
  ['1', '0.000000000000000001 ETH', '0.000000000000000001 ETH'],
  ['150000000000000000', '0.15 ETH', '0.15 ETH'],
  ['21000000147000', '0.000021000000147 ETH', '0.000021… ETH'],
  ['312268002185876', '0.000312268002185876 ETH', '0.000312268… ETH'],
  ['100449645731997520124', '100.449645731997520124 ETH', '100.449645… ETH'],
  ['1234567000000000000000000', '1 234 567 ETH', '1 234 567 ETH'],
  ['1234567123456700000000000', '1 234 567.1234567 ETH', '1 234 567.123456… ETH'],
])('formats %s in the smallest unit as %s, and as %s in a list', (amount, whole, short) => {
  expect(amountText(amount, ether)).toBe(whole);
  expect(shortAmountText(amount, ether)).toBe(short);
});

test('formats an amount without a currency as a plain number', () => {
  expect(shortAmountText('12345678', null)).toBe('12345678');
});
