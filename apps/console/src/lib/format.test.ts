import { expect, test } from 'vitest';
import { actionText, amountRule, amountText, localTime, shortAmountText, smallestUnit } from './format.ts';

const ether = { symbol: 'ETH', decimals: 18 };

test.each([
  ['0', '0 ETH', '0 ETH'],
  ['1', '0.000000000000000001 ETH', '0.000000000000000001 ETH'],
  ['150000000000000000', '0.15 ETH', '0.15 ETH'],
  ['312268002185876', '0.000312268002185876 ETH', '0.000312268… ETH'],
  ['100449645731997520124', '100.449645731997520124 ETH', '100.449645… ETH'],
  ['1234567000000000000000000', '1 234 567 ETH', '1 234 567 ETH'],
  ['1234567123456700000000000', '1 234 567.1234567 ETH', '1 234 567.123456… ETH'],
])('%s of the smallest unit is %s, and %s in a list', (amount, whole, short) => {
  expect(amountText(amount, ether)).toBe(whole);
  expect(shortAmountText(amount, ether)).toBe(short);
});

test('an amount of no currency has no unit', () => {
  expect(shortAmountText('12345678', null)).toBe('12345678');
});

test.each([
  ['1', '1000000000000000000'],
  [' 0.5 ', '500000000000000000'],
  ['0.0000000000000000001', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['', undefined],
])('%j as people write it is %s of the smallest unit', (text, amount) => {
  expect(smallestUnit(text, 18)).toBe(amount);
});

test.each([0, 1, 18])('what is said of amounts with %i decimals has one that is taken', (decimals) => {
  const [example = ''] = /\d[\d.]*/.exec(amountRule(decimals)) ?? [];
  expect(smallestUnit(example, decimals)).toMatch(/^\d+$/);
});

test('a contract that an action deploys is named so', () => {
  const call = {
    type: 'contract_call',
    amount: '0',
    unit: ether,
    recipient: null,
    method: 'transfer(address)',
  } as const;
  expect(actionText({ ...call, contract: 'action:01a20994-2885-729f-a5b4-eb68ebc7ea1b' })).toBe(
    'Call transfer of what 01a20994…c7ea1b deploys',
  );
  expect(actionText({ ...call, contract: 'token' })).toBe('Call transfer of token');
});

test('a time in a field of the browser is by the clock here, to the minute', () => {
  expect(localTime(new Date(2026, 0, 5, 8, 3, 59).toISOString())).toBe('2026-01-05T08:03');
});
