import { expect, test } from 'vitest';
import { coveredIfLow } from './low-balance.ts';

const action = { amount: '8', fee: '2', status: 'SUCCEEDED' } as const;

test.each([
  ['199', 19],
  ['200', undefined],
  ['0', 0],
])('a balance of %s covers %s actions that cost 10', (balance, covered) => {
  expect(coveredIfLow(balance, [action, action])).toBe(covered);
});

test('a failed action costs only its fee', () => {
  expect(coveredIfLow('39', [{ ...action, status: 'FAILED' }])).toBe(19);
});

test('if the costs of actions are unknown, no balance is reported as low', () => {
  expect(coveredIfLow('0', [{ ...action, fee: null }])).toBeUndefined();
  expect(coveredIfLow('0', [])).toBeUndefined();
});
