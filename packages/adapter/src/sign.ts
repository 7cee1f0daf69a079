import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { isPrivate, pointFromScalar, signRecoverable } from 'tiny-secp256k1';
import type { KeyType } from './contract/values.ts';
import type { SigningRequest } from './contract/wallets.ts';

const curves = { p256, ed25519 };

export function randomKey(keyType: KeyType): Uint8Array {
  if (keyType !== 'secp256k1') return curves[keyType].utils.randomSecretKey();
  for (;;) {
    const key = new Uint8Array(randomBytes(32));
    // The probability of a value out of range is 2^-128.
    if (isPrivate(key)) return key;
  }
}

/**
 * Returns the public key: a compressed point of 33 bytes; for ed25519, the 32 bytes of RFC 8032.
 *
 * @throws if the bytes are not a private key
 */
export function publicKeyOf(keyType: KeyType, privateKey: Uint8Array): Uint8Array {
  if (keyType === 'ed25519') return ed25519.getPublicKey(privateKey);
  if (keyType === 'p256') return p256.getPublicKey(privateKey, true);
  const point = pointFromScalar(privateKey, true);
  if (point === null) throw new RangeError('The bytes are not a private key.');
  return point;
}

/**
 * Signs as the contract requires: secp256k1 65 bytes r‖s‖v and p256 64 bytes r‖s, both with low s; ed25519 64 bytes
 * over the message. Deterministic.
 *
 * @throws RangeError if the digest is not 32 bytes, or if the request is for another curve or another wallet (`signer`)
 */
export function sign(keyType: KeyType, privateKey: Uint8Array, request: SigningRequest): Uint8Array {
  if (request.curve !== keyType) throw new RangeError(`A ${keyType} key cannot sign for ${request.curve}.`);
  if (request.signer !== undefined) throw new RangeError('A key can only sign for its own wallet.');
  if (request.curve === 'ed25519') return ed25519.sign(request.message, privateKey);
  const { digest } = request;
  if (digest.length !== 32) throw new RangeError(`A digest must have 32 bytes, not ${digest.length}.`);
  if (request.curve === 'p256') return p256.sign(digest, privateKey, { prehash: false, lowS: true });
  const { signature, recoveryId } = signRecoverable(digest, privateKey);
  return Uint8Array.of(...signature, recoveryId);
}
