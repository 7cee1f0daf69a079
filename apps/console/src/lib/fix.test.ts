import { expect, test } from 'vitest';
import { fixOf, isFieldOf } from './fix.ts';

const problem = (name: string, ...pointers: string[]) => ({
  type: `urn:ledger-ops:problem:${name}`,
  errors: pointers.map((pointer) => ({ pointer, detail: 'is wrong' })),
});

test.each([
  ['insufficient-funds', '/glo/options/amount'],
  ['unknown-method', '/glo/options/method_name'],
  ['unknown-contract', '/glo/options/contract_instance'],
  ['reverted', '/glo/options/args'],
  ['out-of-gas', '/glo/meta/ledger/*/native_transaction_content/gasLimit'],
  ['wrong-chain', '/walletId'],
  ['deadline-passed', '/deadline'],
  ['expired', 'send'],
  ['cancelled', 'send'],
  ['invented-later', '/glo/options/amount'],
])('after the problem %s, suggests the field %s first', (name, field) => {
  expect(fixOf(problem(name))[0]).toBe(field);
});

test('suggests the field at the problem’s pointer first, also for problems that a plugin reports', () => {
  expect(fixOf(problem('invalid-request', '/glo/options/args/1'))[0]).toBe('/glo/options/args/1');
  expect(fixOf(problem('invalid-request', '/args/1'))[0]).toBe('/glo/options/args/1');
  expect(fixOf(problem('not-preparable', '/native/gasLimit'))[0]).toBe(
    '/glo/meta/ledger/*/native_transaction_content/gasLimit',
  );
});

test('without a problem, suggests the amount and the arguments first', () => {
  expect(fixOf(undefined).slice(0, 2)).toEqual(['/glo/options/amount', '/glo/options/args']);
});

test.each([
  ['/glo/options/args', '/glo/options/args/0', true],
  ['/glo/options/args/1', '/glo/options/args/0', false],
  ['/glo/options/recipient/resource', '/glo/options/recipient', true],
  [
    '/glo/meta/ledger/*/native_transaction_content/gasLimit',
    '/glo/meta/ledger/ethereum/native_transaction_content/gasLimit',
    true,
  ],
  ['send', 'send', true],
  ['send', '/walletId', false],
  ['', '/walletId', false],
])('the error at the pointer %j belongs to the field %j: %s', (pointer, field, is) => {
  expect(isFieldOf(pointer, field)).toBe(is);
});
