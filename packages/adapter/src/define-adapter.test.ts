import { expect, test } from 'vitest';
import { defineAdapter, isCompatibleInterface } from './define-adapter.ts';

test('several signers go together with independent transactions only', () => {
  const define = (sequence: 'account' | 'none') =>
    defineAdapter({
      ...{ name: 'acorn', technology: 'acorn', version: '1.0.0', keyType: 'ed25519' },
      description: { title: 'Acorn', addresses: { account: { pattern: '^a$', example: 'a' } } },
      capabilities: { operations: ['transfer'], sequence, coSigners: true },
      open: () => Promise.reject(new Error('never opened')),
    });
  expect(define('none').capabilities.coSigners).toBe(true);
  expect(() => define('account')).toThrow(/coSigners/);
});

test.each([
  ['0.1.3', '0.1.0', true],
  ['0.2.0', '0.1.0', false],
  ['0.0.9', '0.1.0', false],
  ['1.2.0', '1.3.0', true],
  ['1.3.0-rc.1', '1.3.0', true],
  ['1.4.0', '1.3.0', false],
  ['2.0.0', '1.3.0', false],
])('an adapter for %s in a host of %s: %s', (written, supported, compatible) => {
  expect(isCompatibleInterface(written, supported)).toBe(compatible);
});
