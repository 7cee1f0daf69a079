import type { KeyType, SigningRequest } from '@ledger-ops/adapter';
import { publicKeyOf, randomKey, sign } from '@ledger-ops/adapter/signing';

/** A key pair of the host, for tests. The key is stored unprotected in memory. */
export interface TestSigner {
  keyType: KeyType;
  /** A compressed point of 33 bytes; 32 bytes for ed25519. */
  publicKey: Uint8Array;
  privateKey: Uint8Array;
  /**
   * Signs like the host: secp256k1 65 bytes r‖s‖v and p256 64 bytes r‖s, both with low s; ed25519 64 bytes.
   * Deterministic.
   *
   * @throws RangeError if the digest is not 32 bytes, or is for another curve
   */
  sign(request: SigningRequest): Uint8Array;
}

/**
 * Creates a signer for tests.
 *
 * @param privateKey 32 bytes; random if absent
 */
export function createTestSigner(keyType: KeyType, privateKey?: Uint8Array): TestSigner {
  const key = privateKey ?? randomKey(keyType);
  return {
    keyType,
    publicKey: publicKeyOf(keyType, key),
    privateKey: key,
    sign: (request) => sign(keyType, key, request),
  };
}
