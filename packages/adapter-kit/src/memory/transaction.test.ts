import { expect, test } from 'vitest';
import {
  addressOfPrivateKey,
  decodeTransaction,
  encodeTransaction,
  signDigest,
  signingDigest,
  type TransactionBody,
} from './transaction.ts';

const privateKey = new Uint8Array(32).fill(7);
/** Order of secp256k1's base point (SEC 2). */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

test('accepts a signature with a low s, and refuses the equivalent signature with a high s', () => {
  const from = addressOfPrivateKey('secp256k1', privateKey);
  const body: TransactionBody = {
    ...{ chainId: 1n, from, sequence: 0n, to: from, value: 1n, data: '0x', gas: 21_000n, gasPrice: 1n },
    ...{ salt: '', validUntil: null },
  };
  const signature = Buffer.from(signDigest('secp256k1', privateKey, signingDigest(body, [])));
  const decode = (bytes: Buffer) =>
    decodeTransaction(encodeTransaction(body, [`0x${bytes.toString('hex')}`]), 1);
  expect(decode(signature)).toMatchObject({ from });
  const highS = order - BigInt(`0x${signature.toString('hex', 32, 64)}`);
  const other = Buffer.concat([
    signature.subarray(0, 32),
    Buffer.from(highS.toString(16).padStart(64, '0'), 'hex'),
    Buffer.of(1 - (signature[64] ?? 0)),
  ]);
  expect(decode(other)).toMatch(/is not a signature/);
});
