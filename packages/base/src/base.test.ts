import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createMasterKey, Problem, problemCatalogue, SealError, Secret, seal, unseal } from './index.ts';

test('printing a secret does not reveal its value', () => {
  const secret = new Secret('correct horse');
  for (const shown of [`${secret}`, JSON.stringify({ secret }), inspect({ secret }), String(secret)]) {
    expect(shown).not.toContain('horse');
  }
  expect(secret.reveal()).toBe('correct horse');
});

test('sealed bytes open only with the same key and the same purpose', () => {
  const key = randomBytes(32);
  const sealed = seal(key, Buffer.from('wallet key'), 'wallet 1');
  expect(Buffer.from(unseal(key, sealed, 'wallet 1')).toString()).toBe('wallet key');
  expect(() => unseal(key, sealed, 'wallet 2')).toThrow(SealError);
  expect(() => unseal(randomBytes(32), sealed, 'wallet 1')).toThrow(SealError);
  const changed = Uint8Array.from(sealed);
  changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
  expect(() => unseal(key, changed, 'wallet 1')).toThrow(SealError);
  expect(() => unseal(key, sealed.subarray(0, 8), 'wallet 1')).toThrow(SealError);
});

test('sealing the same bytes twice gives different bytes', () => {
  const key = randomBytes(32);
  expect(seal(key, Buffer.from('a'), 'x')).not.toEqual(seal(key, Buffer.from('a'), 'x'));
});

test('a master key derives a different key for each purpose, and refuses a wrong length', () => {
  const master = createMasterKey(randomBytes(32));
  expect(master.derive('a')).not.toEqual(master.derive('b'));
  expect(master.derive('a')).toEqual(master.derive('a'));
  expect(() => createMasterKey(randomBytes(16))).toThrow('32 bytes');
});

test('every problem in the catalog has a kebab-case name, a title and an error status', () => {
  for (const [name, { status, title }] of Object.entries(problemCatalogue)) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(title.length).toBeGreaterThan(10);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
  }
});

test('a problem becomes a document of RFC 9457 with its pointers', () => {
  const problem = new Problem('invalid-request', 'walletId: missing', {
    errors: [{ pointer: '/walletId', detail: 'missing' }],
  });
  expect(problem.toDocument()).toEqual({
    type: 'urn:ledger-ops:problem:invalid-request',
    title: 'The request is malformed or invalid',
    status: 400,
    detail: 'walletId: missing',
    errors: [{ pointer: '/walletId', detail: 'missing' }],
  });
});
