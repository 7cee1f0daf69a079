import { expect, test } from 'vitest';
import { fits, readRecipient } from './recipient.ts';

const form = { pattern: '^0x[0-9a-fA-F]{40}$', example: '0x…' };
const address = `0x${'ab'.repeat(20)}`;
const all = { walletIds: ['till'], isComplete: true };
const some = { walletIds: ['till'], isComplete: false };

test('treats the id of a known wallet as a wallet, even if it looks like an address', () => {
  expect(readRecipient('till', all, form)).toEqual({ kind: 'wallet', resource: 'till' });
  const named = { walletIds: [address], isComplete: true };
  expect(readRecipient(address, named, form)).toEqual({ kind: 'wallet', resource: address });
});

test('treats an address as an address, even if the list of wallets is incomplete', () => {
  for (const known of [all, some]) {
    expect(readRecipient(address, known, form)).toEqual({ kind: 'address', resource: address });
  }
});

test('treats other input as a wallet id only if the list of wallets is incomplete', () => {
  expect(readRecipient('customer-4711', some, form)).toEqual({ kind: 'wallet', resource: 'customer-4711' });
  expect(readRecipient('customer-4711', all, form)).toBeUndefined();
  expect(readRecipient('no wallet', some, form)).toBeUndefined();
});

test('if the address format is unknown, treats input that is not a known wallet as an address', () => {
  expect(readRecipient('customer-4711', all, undefined)).toMatchObject({ kind: 'address' });
  expect(readRecipient('x509::CN=a::CN=ca', some, undefined)).toMatchObject({ kind: 'address' });
  expect(readRecipient('', all, undefined)).toBeUndefined();
});

test('matching an address pattern of a plugin takes linear time', () => {
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(.*)*b$']) {
    expect(fits(`${'a'.repeat(26)}!`, { pattern, example: 'a' })).toBe(false);
    expect(fits(`${'a'.repeat(5_000)}!`, { pattern, example: 'a' })).toBe(false);
  }
});

test('address patterns that the service accepts but browsers do not are supported', () => {
  const form = { pattern: '(?i)^\\pL{3}\\z', example: 'abc' };
  expect(fits('ABC', form)).toBe(true);
  expect(fits('AB1', form)).toBe(false);
});

test('does not refuse an address because of a pattern that the service would not accept', () => {
  for (const pattern of ['(?=a)a', '(', `(a{900}){900}`])
    expect(fits('a', { pattern, example: 'a' })).toBe(true);
});
