import { createECDH, randomBytes } from 'node:crypto';
import { SigningKey } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ethersSigner, nativeSigner } from './secp256k1.ts';
import { createSigners } from './signers.ts';
import { createSecp256k1Key } from './wallet-key.ts';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const request = (digest: Uint8Array) => ({ curve: 'secp256k1' as const, digest });

/** Deterministic signatures of SHA-256 digests under small and extreme keys (RFC 6979, low s). */
const vectors = [
  {
    key: 1n,
    digest: 'a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e', // "Satoshi Nakamoto"
    signature:
      '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
      '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
  },
  {
    key: order - 1n,
    digest: 'a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e',
    signature:
      'fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d0' +
      '6b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5',
  },
];

describe.each([
  ['native', nativeSigner()],
  ['ethers', ethersSigner()],
])('signing with %s', (_, signer) => {
  it('is there on this machine', () => {
    expect(signer).not.toBeNull();
  });

  it.each(vectors)('gives the known signature under key $key', ({ key, digest, signature }) => {
    const signed = signer?.sign(bytesOf(key), Buffer.from(digest, 'hex'));
    expect(Buffer.from(signed?.subarray(0, 64) ?? []).toString('hex')).toBe(signature);
  });

  it('gives r, s and the recovery bit, from which the public key comes back', () => {
    const key = bytesOf(12_345n);
    const digest = Buffer.alloc(32, 7);
    const signed = Buffer.from(signer?.sign(key, digest) ?? []);
    expect(signed).toHaveLength(65);
    expect([0, 1]).toContain(signed[64]);
    const recovered = SigningKey.recoverPublicKey(digest, {
      r: `0x${signed.subarray(0, 32).toString('hex')}`,
      s: `0x${signed.subarray(32, 64).toString('hex')}`,
      v: 27 + (signed[64] ?? 0),
    });
    expect(recovered).toBe(new SigningKey(key).publicKey);
  });
});

it('signs alike natively and in JavaScript, byte for byte, the same each time, with low s', () => {
  const native = nativeSigner();
  const ethers = ethersSigner();
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: order - 1n }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      (key, digest) => {
        const signature = native?.sign(bytesOf(key), digest);
        expect(signature).toEqual(ethers.sign(bytesOf(key), digest));
        expect(signature).toEqual(native?.sign(bytesOf(key), digest));
        const s = BigInt(`0x${Buffer.from(signature?.subarray(32, 64) ?? []).toString('hex')}`);
        expect(s <= order / 2n).toBe(true);
      },
    ),
    { numRuns: 100, verbose: true },
  );
});

it('tells which signer is in use, and loads it when it is needed, once', () => {
  const told: string[] = [];
  const signers = createSigners({ onSigner: (name) => told.push(name) });
  const key = signers.open('secp256k1', bytesOf(1n));
  expect(told).toEqual([]);
  key.sign([request(randomBytes(32)), request(randomBytes(32))]);
  expect(signers.secp256k1SignerName()).toBe('native');
  expect(told).toEqual(['native']);
  expect(createSigners({ secp256k1: 'ethers' }).secp256k1SignerName()).toBe('ethers');
});

it('signs a batch in the order of its requests', () => {
  const key = createSigners().open('secp256k1', bytesOf(5n));
  const digests = [1, 2, 3].map((fill) => Buffer.alloc(32, fill));
  expect(key.sign(digests.map(request))).toEqual(digests.flatMap((digest) => key.sign([request(digest)])));
});

it('generates keys in range with their compressed public key', () => {
  const signers = createSigners();
  const secret = signers.generate('secp256k1');
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(secret);
  expect(signers.publicKey('secp256k1', secret)).toEqual(
    new Uint8Array(curve.getPublicKey(null, 'compressed')),
  );
  expect(signers.generate('secp256k1')).not.toEqual(secret);
});

it.each([
  ['zero', bytesOf(0n)],
  ['the order of the curve', bytesOf(order)],
  ['all ones', Buffer.alloc(32, 255)],
  ['31 bytes', Buffer.alloc(31, 1)],
  ['33 bytes', Buffer.alloc(33, 1)],
])('knows that %s is no private key', (_, bytes) => {
  expect(createSigners().publicKey('secp256k1', bytes)).toBeNull();
});

it('overwrites the bytes of a destroyed key, and signs with it no more', () => {
  const held = { bytes: new Uint8Array(bytesOf(5n)), destroyed: false };
  const key = createSecp256k1Key(held, ethersSigner);
  key.sign([request(randomBytes(32))]);
  key.destroy();
  expect(held.bytes).toEqual(new Uint8Array(32));
  expect(() => key.sign([request(randomBytes(32))])).toThrow('destroyed');
});

it('gives away a copy of a key while it lives, and nothing afterwards', () => {
  const signers = createSigners();
  const key = signers.open('secp256k1', bytesOf(5n));
  signers.reveal(key).fill(0);
  expect(signers.reveal(key)).toEqual(new Uint8Array(bytesOf(5n)));
  key.destroy();
  expect(() => signers.reveal(key)).toThrow('destroyed');
});

it('prints nothing of a key', () => {
  const key = createSigners().open('secp256k1', bytesOf(0xabcdef0123n));
  expect(JSON.stringify(key)).toBe('{}');
  expect(String(key)).not.toContain('abcdef');
});

it('refuses other curves, other lengths and other key types', () => {
  const signers = createSigners();
  const key = signers.open('secp256k1', bytesOf(5n));
  expect(() => key.sign([{ curve: 'p256', digest: randomBytes(32) }])).toThrow('p256');
  expect(() => key.sign([request(randomBytes(31))])).toThrow('31 bytes');
  expect(() => signers.open('bls12-381', bytesOf(5n))).toThrow('bls12-381');
  expect(() => signers.reveal({ sign: () => [], destroy: () => {} })).toThrow('not opened');
});
