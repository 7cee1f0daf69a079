import { createPublicKey, hash, verify } from 'node:crypto';
import { Secret } from '@ledger-ops/base';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ed25519KeyObject, readEd25519Key, writeEd25519Key } from './ed25519.ts';
import { sharedKeys } from './shared-keys.ts';
import { Signers } from './signers.ts';

const signers = new Signers();
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const keys = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** RFC 8032, section 7.1: tests 1, 2, 3 and SHA(abc). */
const vectors = [
  {
    secret: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    secret: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    secret: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    publicKey: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
  {
    secret: '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
    publicKey: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    message:
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    signature:
      'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
  },
];

it.each(vectors)(
  'creates the signature of RFC 8032 for the public key $publicKey',
  async ({ secret, publicKey, message, signature }) => {
    expect(signers.publicKey('ed25519', hex(secret))).toEqual(hex(publicKey));
    const key = signers.open('ed25519', hex(secret));
    expect(await key.sign([{ curve: 'ed25519', message: hex(message) }])).toEqual([hex(signature)]);
    key.destroy();
  },
);

it('creates Ed25519 signatures that other verifiers accept, and generates keys', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (message) => {
      const secret = signers.generate('ed25519');
      const key = signers.open('ed25519', secret);
      const [signature = new Uint8Array()] = await key.sign([{ curve: 'ed25519', message }]);
      key.destroy();
      expect(verify(null, message, createPublicKey(ed25519KeyObject(secret)), signature)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it('an Ed25519 key rejects requests for another curve, and any request after it was destroyed', async () => {
  const before = sharedKeys();
  const key = signers.open('ed25519', signers.generate('ed25519'));
  await expect(key.sign([{ curve: 'p256', digest: new Uint8Array(32) }])).rejects.toThrow(
    'from a key of type ed25519',
  );
  const digests = signers.open('p256', signers.generate('p256'));
  await expect(digests.sign([{ curve: 'ed25519', message: new Uint8Array(32) }])).rejects.toThrow(
    'from a key of type p256',
  );
  key.destroy();
  digests.destroy();
  await expect(key.sign([{ curve: 'ed25519', message: new Uint8Array(1) }])).rejects.toThrow('destroyed');
  expect(sharedKeys()).toBe(before);
});

it('two key types with the same bytes do not share a key object', async () => {
  const bytes = new Uint8Array(32).fill(5);
  const message = new Uint8Array();
  const p256 = signers.open('p256', bytes);
  const ed25519 = signers.open('ed25519', bytes);
  await p256.sign([{ curve: 'p256', digest: hash('sha256', message, 'buffer'), message }]);
  const [signature = new Uint8Array()] = await ed25519.sign([{ curve: 'ed25519', message }]);
  expect(verify(null, message, createPublicKey(ed25519KeyObject(bytes)), signature)).toBe(true);
  for (const key of [p256, ed25519]) key.destroy();
});

it('reads exported Ed25519 keys and bare private keys, as numbers and in base58', () => {
  fc.assert(
    fc.property(keys, (secret) => {
      const { document, base58: text } = writeEd25519Key(secret);
      const forms = [document, text, JSON.stringify([...secret]), base58.encode(secret), ` ${document}\n`];
      for (const form of forms) expect(readEd25519Key(new Secret(form))).toEqual(secret);
    }),
    { numRuns: 50 },
  );
});

it('reads an Ed25519 key pair written by a command-line wallet', () => {
  // RFC 8032, test 1, in the format of `solana-keygen`.
  const [vector] = vectors;
  const pair = [...hex(vector?.secret ?? ''), ...hex(vector?.publicKey ?? '')];
  expect(readEd25519Key(new Secret(`[${pair.join(',')}]`))).toEqual(hex(vector?.secret ?? ''));
});

it.each([
  ['an empty string', ''],
  ['a key in hex', '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'],
  ['too few numbers', JSON.stringify(Array(31).fill(1))],
  ['too many numbers', JSON.stringify(Array(65).fill(1))],
  ['numbers that are not bytes', JSON.stringify([256, ...Array(31).fill(1)])],
  ['a list of strings', JSON.stringify(Array(32).fill('1'))],
  ['incomplete JSON', '[1,2'],
  ['characters that base58 does not have', '0OIl'.repeat(11)],
  ['a string that is too long', '1'.repeat(100_000)],
  ['a key pair whose halves do not match', JSON.stringify([...Array(32).fill(1), ...Array(32).fill(2)])],
])('rejects %s as an Ed25519 key', (_, text) => {
  expect(readEd25519Key(new Secret(text))).toBeNull();
});
