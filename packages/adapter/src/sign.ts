import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { KeyType } from './contract/values.ts';
import type { SigningRequest } from './contract/wallets.ts';

const curves = { secp256k1, p256, ed25519 };

/** A new private key, 32 bytes. */
export function randomKey(keyType: KeyType): Uint8Array {
  return curves[keyType].utils.randomSecretKey();
}

/** The public key of a private one: a compressed point, 33 bytes; of ed25519 the 32 bytes of RFC 8032. */
export function publicKeyOf(keyType: KeyType, privateKey: Uint8Array): Uint8Array {
  return keyType === 'ed25519'
    ? ed25519.getPublicKey(privateKey)
    : curves[keyType].getPublicKey(privateKey, true);
}

/**
 * Signs as the contract has it: secp256k1 65 bytes r‖s‖v, p256 64 bytes r‖s, both of low s; ed25519 64 bytes over the
 * message. The same key and request always give the same.
 * @throws RangeError when the digest is not 32 bytes, or the request is of another curve or another wallet (`signer`).
 */
export function sign(keyType: KeyType, privateKey: Uint8Array, request: SigningRequest): Uint8Array {
  if (request.curve !== keyType) throw new RangeError(`A ${keyType} key cannot sign for ${request.curve}.`);
  if (request.signer !== undefined) throw new RangeError('A key signs for its own wallet alone.');
  if (request.curve === 'ed25519') return ed25519.sign(request.message, privateKey);
  const { digest } = request;
  if (digest.length !== 32) throw new RangeError(`A digest has 32 bytes, not ${digest.length}.`);
  if (request.curve === 'p256') return p256.sign(digest, privateKey, { prehash: false, lowS: true });
  const recovered = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
  return Uint8Array.of(...recovered.subarray(1), recovered[0] ?? 0);
}
