import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { hasLowS, signLowS, verifyLowS } from './p256.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

test('creates valid signatures with a low s', () => {
  for (let at = 0; at < 200; at += 1) {
    const data = randomBytes(at);
    const signature = signLowS(data, privateKey);
    expect(hasLowS(signature)).toBe(true);
    expect(verify('sha256', data, publicKey, signature)).toBe(true);
    expect(verifyLowS(data, signature, publicKey)).toBe(true);
    expect(verifyLowS(randomBytes(8), signature, publicKey)).toBe(false);
  }
});

test('rejects a signature with a high s that OpenSSL accepts', () => {
  const data = randomBytes(32);
  const made = Array.from({ length: 64 }, () => sign('sha256', data, privateKey));
  const high = made.filter((signature) => !hasLowS(signature));
  expect(high.length).toBeGreaterThan(0);
  expect(high.length).toBeLessThan(made.length);
  for (const signature of high) {
    expect(verify('sha256', data, publicKey, signature)).toBe(true);
    expect(verifyLowS(data, signature, publicKey)).toBe(false);
  }
});

test('hasLowS returns false for bytes that are not a signature', () => {
  expect(hasLowS(new Uint8Array())).toBe(false);
  expect(hasLowS(randomBytes(70))).toBe(false);
  const good = signLowS(randomBytes(4), privateKey);
  expect(hasLowS(Buffer.concat([good, Buffer.from([0])]))).toBe(false);
  expect(hasLowS(good.subarray(0, -1))).toBe(false);
});
