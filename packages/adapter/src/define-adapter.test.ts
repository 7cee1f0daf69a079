import { expect, test } from 'vitest';
import { defineAdapter } from './define-adapter.ts';
import { isCompatibleInterface } from './version.ts';

test('rejects co-signers for adapters with account sequences', () => {
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

test('without account sequences, accepts replacement on demand and rejects replacements signed in advance', () => {
  const define = (power: 'replacement' | 'onDemandReplacement') =>
    defineAdapter({
      ...{ name: 'acorn', technology: 'acorn', version: '1.0.0', keyType: 'ed25519' },
      description: { title: 'Acorn', addresses: { account: { pattern: '^a$', example: 'a' } } },
      capabilities: { operations: ['transfer'], [power]: true },
      open: () => Promise.reject(new Error('never opened')),
    });
  expect(define('onDemandReplacement').capabilities.onDemandReplacement).toBe(true);
  expect(() => define('replacement')).toThrow(/declare onDemandReplacement/);
});

test.each([
  ['0.1.0', '0.1.0', true],
  ['0.1.0', '0.1.3', true],
  ['0.1.7', '0.1.0', false],
  ['0.1.0-rc.1', '0.1.0', true],
  ['1.3.1', '1.3.0', false],
  ['1.2.9', '1.3.0', true],
  ['0.2.0', '0.1.0', false],
  ['0.0.9', '0.1.0', false],
  ['1.2.0', '1.3.0', true],
  ['1.3.0-rc.1', '1.3.0', true],
  ['1.4.0', '1.3.0', false],
  ['2.0.0', '1.3.0', false],
  ['0.1.0+x', '0.1.0', true],
  ['0.1', '0.1.0', false],
  ['0.01.0', '0.1.0', false],
  ['v0.1.0', '0.1.0', false],
  ['', '0.1.0', false],
])(
  'an adapter for interface %s is compatible with a host of interface %s: %s',
  (written, supported, compatible) => {
    expect(isCompatibleInterface(written, supported)).toBe(compatible);
  },
);
