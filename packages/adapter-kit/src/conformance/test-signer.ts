import type { KeyType, SigningRequest } from '@ledger-ops/adapter';
import { publicKeyOf, randomKey, sign } from '@ledger-ops/adapter/signing';

/** A key pair on the host's side, for tests: the key is in memory and in the open. */
export interface TestSigner {
  keyType: KeyType;
  /** A compressed point of 33 bytes, of ed25519 32 bytes. */
  publicKey: Uint8Array;
  /** 32 bytes. */
  privateKey: Uint8Array;
  /**
   * Signs as the host does: secp256k1 65 bytes r‖s‖v, p256 64 bytes r‖s, both of low s; ed25519 64 bytes. The same key
   * and request always give the same.
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
    sign: (request) => sign(keyType, key, request),
  };
}
