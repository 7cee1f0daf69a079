import { expect, test } from 'vitest';
import { readRecipient } from './recipient.ts';

const form = { pattern: '^0x[0-9a-fA-F]{40}$', example: '0x…' };
const address = `0x${'ab'.repeat(20)}`;
const all = { walletIds: ['till'], isComplete: true };
const some = { walletIds: ['till'], isComplete: false };

test('a wallet that is known is one, whatever else it looks like', () => {
  expect(readRecipient('till', all, form)).toEqual({ kind: 'wallet', resource: 'till' });
  const named = { walletIds: [address], isComplete: true };
  expect(readRecipient(address, named, form)).toEqual({ kind: 'wallet', resource: address });
});

test('an address is one also where not all wallets are known', () => {
  for (const known of [all, some]) {
    expect(readRecipient(address, known, form)).toEqual({ kind: 'address', resource: address });
  }
});

test('where not all wallets are known, what is no address is a wallet; where they are, it is nobody', () => {
  expect(readRecipient('customer-4711', some, form)).toEqual({ kind: 'wallet', resource: 'customer-4711' });
  expect(readRecipient('customer-4711', all, form)).toBeUndefined();
  expect(readRecipient('no wallet', some, form)).toBeUndefined();
});

test('where nothing says how addresses are written, what is no wallet is one', () => {
  expect(readRecipient('customer-4711', all, undefined)).toMatchObject({ kind: 'address' });
  expect(readRecipient('x509::CN=a::CN=ca', some, undefined)).toMatchObject({ kind: 'address' });
  expect(readRecipient('', all, undefined)).toBeUndefined();
});
