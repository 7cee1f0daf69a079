import type { KeyType, SigningRequest } from '@ledger-ops/adapter';
import { publicKeyOf, randomKey, signDigest } from '@ledger-ops/adapter/signing';

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
  const key = privateKey ?? randomKey(keyType);
  return {
    keyType,
    publicKey: publicKeyOf(keyType, key),
    privateKey: key,
    sign: (request) => signDigest(keyType, key, request),
  };
}
