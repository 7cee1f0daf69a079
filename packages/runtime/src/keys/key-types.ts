import type { Secret } from '@ledger-ops/base';
import type { LedgerDefinition } from '../ledger-definition.ts';
import { ed25519PublicKey, generateEd25519, readEd25519Key, writeEd25519Key } from './ed25519.ts';
import { writeKeystore } from './keystore.ts';
import { generateP256, p256PublicKey } from './p256.ts';
import { readPemKey, writePemKey } from './pem.ts';
import { createRemoteKey, generateRemote, remotePublicKey } from './remote-key.ts';
import { generateSecp256k1, readHexKey, type Secp256k1Signer, secp256k1PublicKey } from './secp256k1.ts';
import type { WalletKey } from './types.ts';
import { createEd25519Key, createP256Key, createSecp256k1Key, type HeldKey } from './wallet-key.ts';
import type { WrittenKey } from './written-key.ts';

/** A type of key that wallets have; `remote` stands for keys that a plugin keeps. */
export type HeldType = LedgerDefinition['keyType'];

export interface KeyOperations {
  /** A new private key. */
  generate(): Uint8Array;
  /** Null when the bytes are no private key. */
  publicKey(privateKey: Uint8Array): Uint8Array | null;
  /** A key that signs with these bytes. */
  open(held: HeldKey): WalletKey;
  /** Reading a private key that somebody brings; absent where none can be. */
  read?: {
    /** Null when it is none. */
    key(text: Secret): Uint8Array | null;
    /** For people: "must be …". */
    form: string;
  };
  /** Writing a private key for its owner; absent where it cannot be had. */
  write?(privateKey: Uint8Array, password: Secret): Promise<WrittenKey>;
}

/** The types of keys, each in a file of its own. */
export function keyTypes(secp256k1: () => Secp256k1Signer): Readonly<Record<HeldType, KeyOperations>> {
  return {
    secp256k1: {
      generate: generateSecp256k1,
      publicKey: secp256k1PublicKey,
      open: (held) => createSecp256k1Key(held, secp256k1),
      read: { key: readHexKey, form: 'must be 32 bytes of hex' },
      write: async (privateKey, password) => ({
        format: 'keystore-v3',
        document: await writeKeystore(privateKey, password),
      }),
    },
    p256: {
      generate: generateP256,
      publicKey: p256PublicKey,
      open: createP256Key,
      read: {
        key: readPemKey,
        form: 'must be a P-256 key in PEM (PKCS #8 or SEC 1) that is not encrypted',
      },
      write: async (privateKey, password) => ({
        format: 'pem',
        document: await writePemKey(privateKey, password),
      }),
    },
    ed25519: {
      generate: generateEd25519,
      publicKey: ed25519PublicKey,
      open: createEd25519Key,
      read: {
        key: readEd25519Key,
        form: 'must be an Ed25519 key: a JSON array of 64 or 32 numbers, or base58 of as many bytes; a public key in it must be that of its private key',
      },
      write: async (privateKey) => ({ format: 'ed25519-pair', ...writeEd25519Key(privateKey) }),
    },
    remote: { generate: generateRemote, publicKey: remotePublicKey, open: createRemoteKey },
  };
}
