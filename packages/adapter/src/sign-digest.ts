import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { KeyType } from './contract/values.ts';
import type { SigningRequest } from './contract/wallets.ts';

/** A new private key, 32 bytes. */
export function randomKey(keyType: KeyType): Uint8Array {
  return (keyType === 'secp256k1' ? secp256k1 : p256).utils.randomSecretKey();
}

/** The public key of a private one: a compressed point, 33 bytes. */
export function publicKeyOf(keyType: KeyType, privateKey: Uint8Array): Uint8Array {
  return (keyType === 'secp256k1' ? secp256k1 : p256).getPublicKey(privateKey, true);
}

/**
 * Signs as the contract has it: secp256k1 65 bytes r‖s‖v, p256 64 bytes r‖s, both of low s; the same key and
 * digest always give the same.
 * @throws RangeError when the digest is not 32 bytes or of another curve.
 */
export function signDigest(
  keyType: KeyType,
  privateKey: Uint8Array,
  { curve, digest }: SigningRequest,
): Uint8Array {
  if (curve !== keyType) throw new RangeError(`A ${keyType} key cannot sign for ${curve}.`);
  if (digest.length !== 32) throw new RangeError(`A digest has 32 bytes, not ${digest.length}.`);
  if (keyType === 'p256') return p256.sign(digest, privateKey, { prehash: false, lowS: true });
  const recovered = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
  return Uint8Array.of(...recovered.subarray(1), recovered[0] ?? 0);
}
