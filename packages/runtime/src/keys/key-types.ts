import type { KeyType } from '@ledger-ops/adapter';
import type { Secret } from '@ledger-ops/base';
import { ed25519PublicKey, generateEd25519, readEd25519Key, writeEd25519Key } from './ed25519.ts';
import { writeKeystore } from './keystore.ts';
import { generateP256, p256PublicKey } from './p256.ts';
import { readPemKey, writePemKey } from './pem.ts';
import { generateSecp256k1, readHexKey, secp256k1PublicKey } from './secp256k1.ts';

/** An exported private key in the usual format of its type. */
export interface WrittenKey {
  /** `keystore-v3` and `pem` are encrypted with the password; `ed25519-pair`, a JSON array of 64 numbers, is not. */
  format: 'keystore-v3' | 'pem' | 'ed25519-pair';
  document: string;
  /** Only for `ed25519-pair`: the pair in base58. */
  base58?: string;
}

export interface KeyOperations {
  generate(): Uint8Array;
  /** Returns the public key; null if the bytes are not a private key. */
  publicKey(privateKey: Uint8Array): Uint8Array | null;
  /** Imports a private key; null if the string is not a key. */
  read(text: Secret): Uint8Array | null;
  /** Error detail that describes the format that `read` requires: "must be …". */
  format: string;
  /** Exports a private key for its owner. */
  write(privateKey: Uint8Array, password: Secret): Promise<WrittenKey>;
}

export const keyTypes: Readonly<Record<KeyType, KeyOperations>> = {
  secp256k1: {
    generate: generateSecp256k1,
    publicKey: secp256k1PublicKey,
    read: readHexKey,
    format: 'must be 32 bytes in hexadecimal',
    write: async (privateKey, password) => ({
      format: 'keystore-v3',
      document: await writeKeystore(privateKey, password),
    }),
  },
  p256: {
    generate: generateP256,
    publicKey: p256PublicKey,
    read: readPemKey,
    format: 'must be an unencrypted P-256 key in PEM (PKCS #8 or SEC 1)',
    write: async (privateKey, password) => ({
      format: 'pem',
      document: await writePemKey(privateKey, password),
    }),
  },
  ed25519: {
    generate: generateEd25519,
    publicKey: ed25519PublicKey,
    read: readEd25519Key,
    format:
      'must be an Ed25519 key: a JSON array of 64 or 32 numbers, or the same bytes in base58; if it contains the public key, both must match',
    write: async (privateKey) => ({ format: 'ed25519-pair', ...writeEd25519Key(privateKey) }),
  },
};
