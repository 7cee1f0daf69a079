import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  randomBytes,
  verify,
} from 'node:crypto';
import { Secret } from '@ledger-ops/base';
import { p256 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { slowDsaKey } from '../../../adapter/test/outbound/certificates.ts';
import { certified } from '../../test/certified.ts';
import { p256KeyObject, p256PublicKey } from './p256.ts';
import { readPemKey, writePemKey } from './pem.ts';
import { sharedKeys } from './shared-keys.ts';
import { Signers } from './signers.ts';

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const signers = new Signers();
const keys = fc.bigInt({ min: 1n, max: order - 1n }).map((value) => new Uint8Array(bytesOf(value)));
const isLow = (signature: Uint8Array | undefined) =>
  BigInt(`0x${Buffer.from(signature?.subarray(32) ?? []).toString('hex')}`) <= order / 2n;

/** RFC 6979, A.2.5: published signatures over SHA-256. */
const published = {
  secret: 'c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721',
  // The y coordinate of this public key is odd.
  publicKey: '0360fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6',
  signatures: [
    {
      message: 'sample',
      r: 'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716',
      s: 0xf7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8n,
    },
    {
      message: 'test',
      r: 'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367',
      s: 0x019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083n,
    },
  ],
};

it.each(published.signatures)(
  'creates the signature of RFC 6979 for "$message", with a low s',
  async ({ message: text, r, s }) => {
    const secret = Buffer.from(published.secret, 'hex');
    const message = Buffer.from(text);
    const digest = hash('sha256', message, 'buffer');
    expect(Buffer.from(signers.publicKey('p256', secret) ?? []).toString('hex')).toBe(published.publicKey);
    const [signature] = await signers.open('p256', secret).sign([{ curve: 'p256', digest }]);
    const low = s > order / 2n ? order - s : s;
    expect(Buffer.from(signature ?? []).toString('hex')).toBe(r + bytesOf(low).toString('hex'));
    // Requests that contain the message are signed by node:crypto. Its signatures differ each time, so the test
    // verifies them with the vector's key.
    const key = { key: createPublicKey(p256KeyObject(secret)), dsaEncoding: 'ieee-p1363' as const };
    expect(verify('sha256', message, key, Buffer.concat([Buffer.from(r, 'hex'), bytesOf(s)]))).toBe(true);
  },
);

it('signs digests with node:crypto if the message is known: 64 bytes, low s, accepted by other verifiers', async () => {
  await fc.assert(
    fc.asyncProperty(keys, fc.uint8Array({ maxLength: 300 }), async (secret, message) => {
      const digest = hash('sha256', message, 'buffer');
      const [signature] = await signers.open('p256', secret).sign([{ curve: 'p256', digest, message }]);
      const publicKey = p256PublicKey(secret) ?? new Uint8Array();
      expect(signature).toHaveLength(64);
      expect(isLow(signature)).toBe(true);
      expect(
        p256.verify(signature ?? new Uint8Array(), digest, publicKey, { prehash: false, lowS: true }),
      ).toBe(true);
      const key = { key: createPublicKey(p256KeyObject(secret)), dsaEncoding: 'ieee-p1363' as const };
      expect(verify('sha256', message, key, signature ?? new Uint8Array())).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it('signs a digest without its message in JavaScript, because node:crypto always hashes', async () => {
  await fc.assert(
    fc.asyncProperty(keys, fc.uint8Array({ maxLength: 50 }), async (secret, message) => {
      const digest = hash('sha256', message, 'buffer');
      const [signature] = await signers.open('p256', secret).sign([{ curve: 'p256', digest }]);
      expect(signature).toHaveLength(64);
      expect(isLow(signature)).toBe(true);
      const key = { key: createPublicKey(p256KeyObject(secret)), dsaEncoding: 'ieee-p1363' as const };
      expect(verify('sha256', message, key, signature ?? new Uint8Array())).toBe(true);
    }),
    { numRuns: 15 },
  );
});

it('encodes a signature in 64 bytes, even if r or s is short or s must be normalized', async () => {
  // In DER, r or s is shorter than 32 bytes in about one of 128 signatures. Half of all signatures have a high s before
  // normalization.
  const key = signers.open('p256', bytesOf(7n));
  const message = Buffer.from('again and again');
  const digest = hash('sha256', message, 'buffer');
  const publicKey = p256PublicKey(bytesOf(7n)) ?? new Uint8Array();
  const signatures = await key.sign(
    Array.from({ length: 5_000 }, () => ({ curve: 'p256' as const, digest, message })),
  );
  expect(signatures.some((signature) => signature[0] === 0)).toBe(true);
  expect(signatures.some((signature) => signature[32] === 0)).toBe(true);
  const short = signatures.filter((signature) => signature[0] === 0 || signature[32] === 0);
  for (const signature of short) {
    expect(p256.verify(signature, digest, publicKey, { prehash: false, lowS: true })).toBe(true);
  }
  expect(signatures.every(isLow)).toBe(true);
});

it('rejects a digest that does not match the message, another curve, or another length', async () => {
  const key = signers.open('p256', bytesOf(5n));
  const message = Buffer.from('message');
  const digest = hash('sha256', message, 'buffer');
  await expect(key.sign([{ curve: 'p256', digest: randomBytes(32), message }])).rejects.toThrow(
    'does not match its message',
  );
  await expect(key.sign([{ curve: 'secp256k1', digest }])).rejects.toThrow('secp256k1');
  await expect(key.sign([{ curve: 'p256', digest: digest.subarray(1) }])).rejects.toThrow('31 bytes');
});

it('generates keys in range with their compressed public key', () => {
  const secret = signers.generate('p256');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(secret);
  expect(signers.publicKey('p256', secret)).toEqual(new Uint8Array(curve.getPublicKey(null, 'compressed')));
  expect(signers.generate('p256')).not.toEqual(secret);
});

it.each([
  ['zero', bytesOf(0n)],
  ['the order of the curve', bytesOf(order)],
  ['31 bytes', Buffer.alloc(31, 1)],
  ['33 bytes', Buffer.alloc(33, 1)],
])('rejects %s as a P-256 private key', (_, bytes) => {
  expect(signers.publicKey('p256', bytes)).toBeNull();
});

it('a destroyed P-256 key does not sign and does not return its bytes', async () => {
  const key = signers.open('p256', bytesOf(5n));
  const message = Buffer.from('message');
  const request = { curve: 'p256' as const, digest: hash('sha256', message, 'buffer'), message };
  await key.sign([request]);
  expect(key.reference()).toEqual(new Uint8Array(bytesOf(5n)));
  key.destroy();
  await expect(key.sign([request])).rejects.toThrow('destroyed');
  expect(() => key.reference()).toThrow('destroyed');
  expect(JSON.stringify(key)).toBe('{}');
});

it('keys with the same bytes share one KeyObject until all of them are destroyed', async () => {
  const message = Buffer.from('message');
  const request = { curve: 'p256' as const, digest: hash('sha256', message, 'buffer'), message };
  const [one, same, other] = [1_005n, 1_005n, 1_006n].map((secret) => signers.open('p256', bytesOf(secret)));
  if (one === undefined || same === undefined || other === undefined) throw new RangeError();
  const before = sharedKeys();
  for (const key of [one, same, other]) await key.sign([request]);
  expect(sharedKeys() - before).toBe(2);
  one.destroy();
  one.destroy();
  other.destroy();
  expect(sharedKeys() - before).toBe(1);
  expect(await same.sign([request])).toHaveLength(1);
  same.destroy();
  expect(sharedKeys() - before).toBe(0);
});

it('reads keys from PEM, PKCS #8 and SEC 1', () => {
  fc.assert(
    fc.property(keys, (secret) => {
      const key = p256KeyObject(secret);
      for (const type of ['pkcs8', 'sec1'] as const) {
        const pem = key.export({ format: 'pem', type }).toString();
        expect(readPemKey(new Secret(pem))).toEqual(secret);
        expect(readPemKey(new Secret(pem.replaceAll('\n', '\r\n')))).toEqual(secret);
      }
    }),
    { numRuns: 30 },
  );
});

it('rejects PEM that contains any other type of key', () => {
  const pem = (key: ReturnType<typeof createPrivateKey>) =>
    key.export({ format: 'pem', type: 'pkcs8' }).toString();
  const own = p256KeyObject(bytesOf(5n));
  const others = [
    pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey),
    pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey),
    pem(generateKeyPairSync('ed25519').privateKey),
    createPublicKey(own).export({ format: 'pem', type: 'spki' }).toString(),
    own.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'secret' }).toString(),
    pem(own).replace(/.{10}\n-----END/, '\n-----END'),
    certified.certificate,
    '',
  ];
  for (const text of others) expect(readPemKey(new Secret(text))).toBeNull();
});

it('rejects a DSA key before using it in a computation', () => {
  const start = performance.now();
  expect(readPemKey(new Secret(slowDsaKey()))).toBeNull();
  expect(readPemKey(new Secret(slowDsaKey(24_000)))).toBeNull();
  // A computation with the first key would take more than three seconds, and one with the second key hours.
  expect(performance.now() - start).toBeLessThan(500);
});

it('an exported PEM key opens only with its password', async () => {
  const secret = signers.generate('p256');
  const document = await writePemKey(secret, new Secret('pässwörd'));
  expect(document).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/);
  expect(Math.max(...document.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(64);
  const read = createPrivateKey({ key: document, format: 'pem', passphrase: 'pässwörd' });
  const pem = read.export({ format: 'pem', type: 'pkcs8' }).toString();
  expect(readPemKey(new Secret(pem))).toEqual(secret);
  expect(() => createPrivateKey({ key: document, format: 'pem', passphrase: 'password' })).toThrow();
});
