import { createECDH, randomBytes } from 'node:crypto';
import { SigningKey } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DatabaseKey } from './database-key.ts';
import { nativeSigner, type Secp256k1Signer, wasmSigner } from './secp256k1.ts';
import { Signers } from './signers.ts';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const request = (digest: Uint8Array) => ({ curve: 'secp256k1' as const, digest });

/** Deterministic signatures (RFC 6979, low s) of SHA-256 digests, with small and very large keys. */
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
  ['wasm', wasmSigner()],
])('signing with %s', (name, signer) => {
  it(`the ${name} signer is available on this machine`, () => {
    expect(signer).not.toBeNull();
  });

  it.each(vectors)('creates the known signature with the key $key', ({ key, digest, signature }) => {
    const signed = signer?.sign(bytesOf(key), Buffer.from(digest, 'hex'));
    expect(Buffer.from(signed?.subarray(0, 64) ?? []).toString('hex')).toBe(signature);
  });

  it('returns r, s and the recovery bit, which together yield the public key', () => {
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

it('native and WebAssembly signatures equal those of ethers, are deterministic, and have a low s', () => {
  const native = nativeSigner();
  const wasm = wasmSigner();
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: order - 1n }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      (key, digest) => {
        const signature = native?.sign(bytesOf(key), digest);
        expect(signature).toEqual(wasm.sign(bytesOf(key), digest));
        const { r, s: low, yParity } = new SigningKey(bytesOf(key)).sign(digest);
        expect(Buffer.from(signature ?? []).toString('hex')).toBe(`${r.slice(2)}${low.slice(2)}0${yParity}`);
        expect(signature).toEqual(native?.sign(bytesOf(key), digest));
        const s = BigInt(`0x${Buffer.from(signature?.subarray(32, 64) ?? []).toString('hex')}`);
        expect(s <= order / 2n).toBe(true);
      },
    ),
    { numRuns: 100, verbose: true },
  );
});

it('reports the secp256k1 signer in use', () => {
  expect(new Signers().secp256k1SignerName()).toBe('native');
  expect(new Signers({ secp256k1: 'wasm' }).secp256k1SignerName()).toBe('wasm');
});

it('signs a batch in the order of its requests', async () => {
  const key = new Signers().open('secp256k1', bytesOf(5n));
  const digests = [1, 2, 3].map((fill) => Buffer.alloc(32, fill));
  const each = await Promise.all(digests.map((digest) => key.sign([request(digest)])));
  expect(await key.sign(digests.map(request))).toEqual(each.flat());
});

it('generates keys in range with their compressed public key', () => {
  const signers = new Signers();
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
])('rejects %s as a secp256k1 private key', (_, bytes) => {
  expect(new Signers().publicKey('secp256k1', bytes)).toBeNull();
});

it('overwrites the bytes of a destroyed key and refuses to sign with it', async () => {
  let used: Uint8Array | undefined;
  const spy: Secp256k1Signer = {
    name: 'wasm',
    sign(privateKey) {
      used = privateKey;
      return new Uint8Array(65);
    },
  };
  const key = new DatabaseKey('secp256k1', bytesOf(5n), () => spy);
  await key.sign([request(randomBytes(32))]);
  expect(used).toEqual(new Uint8Array(bytesOf(5n)));
  key.destroy();
  expect(used).toEqual(new Uint8Array(32));
  await expect(key.sign([request(randomBytes(32))])).rejects.toThrow('destroyed');
});

it('reference() of a key returns a copy of its bytes, and fails once the key is destroyed', () => {
  const key = new Signers().open('secp256k1', bytesOf(5n));
  key.reference().fill(0);
  expect(key.reference()).toEqual(new Uint8Array(bytesOf(5n)));
  key.destroy();
  expect(() => key.reference()).toThrow('destroyed');
});

it('the signer of a wallet whose plugin holds the key refuses to sign', async () => {
  const signer = new Signers().open(null, bytesOf(5n));
  await expect(signer.sign([request(randomBytes(32))])).rejects.toThrow('keeps the keys');
  expect(signer.reference()).toEqual(new Uint8Array(bytesOf(5n)));
  signer.destroy();
  expect(signer.reference()).toEqual(new Uint8Array(32));
});

it('printing or serializing a key does not show any of its bytes', () => {
  const key = new Signers().open('secp256k1', bytesOf(0xabcdef0123n));
  expect(JSON.stringify(key)).toBe('{}');
  expect(String(key)).not.toContain('abcdef');
});

it('rejects requests for another curve or digest length, and unknown key types', async () => {
  const signers = new Signers();
  const key = signers.open('secp256k1', bytesOf(5n));
  await expect(key.sign([{ curve: 'p256', digest: randomBytes(32) }])).rejects.toThrow('p256');
  await expect(key.sign([request(randomBytes(31))])).rejects.toThrow('31 bytes');
  expect(() => signers.open('bls12-381', bytesOf(5n))).toThrow('bls12-381');
});
