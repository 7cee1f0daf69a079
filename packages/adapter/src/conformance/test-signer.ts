import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { KeyType, SigningRequest } from '../types.ts';

/** A key pair on the host's side, for tests: the key is in memory and in the open. */
export interface TestSigner {
  keyType: KeyType;
  /** 33-byte compressed point. */
  publicKey: Uint8Array;
  /** 32 bytes. */
  privateKey: Uint8Array;
  /**
   * Signs as the host does: secp256k1 65 bytes r‖s‖v, p256 64 bytes r‖s, both of low s; the same key and
   * digest always give the same.
   * @throws RangeError when the digest is not 32 bytes or of another curve.
   */
  sign(request: SigningRequest): Uint8Array;
}

/**
 * Makes a signer for tests.
 * @param privateKey 32 bytes; a random key when absent.
 */
export function createTestSigner(keyType: KeyType, privateKey?: Uint8Array): TestSigner {
  const curve = keyType === 'secp256k1' ? secp256k1 : p256;
  const key = privateKey ?? curve.utils.randomSecretKey();
  return {
    keyType,
    publicKey: curve.getPublicKey(key, true),
    privateKey: key,
    sign({ curve: asked, digest }) {
      if (asked !== keyType) throw new RangeError(`A ${keyType} key cannot sign for ${asked}.`);
      if (digest.length !== 32) throw new RangeError(`A digest has 32 bytes, not ${digest.length}.`);
      if (keyType === 'p256') return p256.sign(digest, key, { prehash: false, lowS: true });
      const recovered = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
      return Uint8Array.of(...recovered.subarray(1), recovered[0] ?? 0);
    },
  };
}
