import type { KeyType } from '@ledger-ops/adapter';
import { Problem, type Secret } from '@ledger-ops/base';
import { DatabaseKey } from './database-key.ts';
import { type KeyOperations, keyTypes, type WrittenKey } from './key-types.ts';
import { PluginKey } from './plugin-key.ts';
import { nativeSigner, type Secp256k1Signer, type Secp256k1SignerName, wasmSigner } from './secp256k1.ts';
import type { Signer } from './signer.ts';

export interface SignersOptions {
  /**
   * Which secp256k1 implementation to use. With `native`, a binary that does not load is an error. Default: `native` if
   * its binary loads, otherwise `wasm`.
   */
  secp256k1?: Secp256k1SignerName;
}

/**
 * Generates, imports, exports and opens keys of all supported types. Loads the secp256k1 signer for the first
 * signature. Callers must destroy the keys that they open.
 */
export class Signers {
  readonly #options: SignersOptions;
  #secp256k1: Secp256k1Signer | undefined;

  constructor(options: SignersOptions = {}) {
    this.#options = options;
  }

  /** Returns the name of the secp256k1 implementation in use. */
  secp256k1SignerName(): Secp256k1SignerName {
    return this.#loadSecp256k1().name;
  }

  /** Generates a private key. @throws Problem `unsupported-operation` for an unknown key type */
  generate(keyType: string): Uint8Array {
    return operationsOf(keyType).generate();
  }

  /**
   * Returns the public key: a compressed point of 33 bytes; for ed25519, the 32 bytes of RFC 8032. Null if the bytes
   * are not a private key of the type.
   */
  publicKey(keyType: string, privateKey: Uint8Array): Uint8Array | null {
    return operationsOf(keyType).publicKey(privateKey);
  }

  /** Imports a private key, or returns an error message about the required format. */
  read(keyType: string, text: Secret): Uint8Array | { fault: string } {
    const { read, format } = operationsOf(keyType);
    return read(text) ?? { fault: format };
  }

  /** Exports a private key for its owner. */
  async write(keyType: string, privateKey: Uint8Array, password: Secret): Promise<WrittenKey> {
    return operationsOf(keyType).write(privateKey, password);
  }

  /**
   * Opens the signer of a wallet from its reference (`Signer.reference`), which is copied.
   * @param keyType null if a plugin holds the wallet's key
   */
  open(keyType: string | null, reference: Uint8Array): Signer {
    if (keyType === null) return new PluginKey(reference);
    if (!isKeyType(keyType)) throw unknownKeyType(keyType);
    return new DatabaseKey(keyType, reference, () => this.#loadSecp256k1());
  }

  #loadSecp256k1(): Secp256k1Signer {
    if (this.#secp256k1 !== undefined) return this.#secp256k1;
    const { secp256k1: wanted } = this.#options;
    const native = wanted === 'wasm' ? null : nativeSigner();
    if (native === null && wanted === 'native') {
      throw new Problem(
        'internal',
        'The native secp256k1 signer is required, but its binary cannot be loaded.',
      );
    }
    this.#secp256k1 = native ?? wasmSigner();
    return this.#secp256k1;
  }
}

function isKeyType(keyType: string): keyType is KeyType {
  return Object.hasOwn(keyTypes, keyType);
}

function operationsOf(keyType: string): KeyOperations {
  if (isKeyType(keyType)) return keyTypes[keyType];
  throw unknownKeyType(keyType);
}

function unknownKeyType(keyType: string): Problem {
  return new Problem(
    'unsupported-operation',
    `This version does not support ${keyType} keys. It supports ${Object.keys(keyTypes).join(', ')}.`,
  );
}
