import type { KeyObject } from 'node:crypto';
import type { DigestRequest, KeyType, SigningRequest } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { ed25519KeyObject, signEd25519 } from './ed25519.ts';
import { p256KeyObject, signP256 } from './p256.ts';
import type { Secp256k1Signer } from './secp256k1.ts';
import { type SharedKey, shareKey } from './shared-keys.ts';
import { notNamed, type Signature, type Signer } from './signer.ts';

/**
 * An opened key. The database contains it in sealed form.
 *
 * Destroying the key overwrites `#bytes` with zeros. `#native`, the key as a KeyObject, is created for the first
 * signature that needs it.
 */
export class DatabaseKey implements Signer {
  readonly #keyType: KeyType;
  readonly #bytes: Uint8Array;
  readonly #secp256k1: () => Secp256k1Signer;
  #native: SharedKey | undefined;
  #isDestroyed = false;

  /** Copies the private key. @param secp256k1 loads the signer for keys of this curve */
  constructor(keyType: KeyType, privateKey: Uint8Array, secp256k1: () => Secp256k1Signer) {
    this.#keyType = keyType;
    this.#bytes = Uint8Array.from(privateKey);
    this.#secp256k1 = secp256k1;
  }

  async sign(requests: readonly SigningRequest[]): Promise<Signature[]> {
    this.#demandOpen();
    return requests.map((request) => this.#signOne(request));
  }

  reference(): Uint8Array {
    this.#demandOpen();
    return Uint8Array.from(this.#bytes);
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#bytes.fill(0);
    this.#native?.release();
    this.#native = undefined;
  }

  #signOne(request: SigningRequest): Signature {
    // A single key signs only for its own wallet.
    if (request.signer !== undefined) throw notNamed();
    const keyType = this.#keyType;
    switch (keyType) {
      case 'secp256k1':
        if (isDigest(request, keyType)) return this.#secp256k1().sign(this.#bytes, request.digest);
        break;
      case 'p256':
        if (isDigest(request, keyType)) return signP256(request, this.#bytes, this.#keyObject(p256KeyObject));
        break;
      case 'ed25519':
        if (request.curve === keyType) return signEd25519(request.message, this.#keyObject(ed25519KeyObject));
        break;
    }
    throw misfit(request, keyType);
  }

  #keyObject(make: (privateKey: Uint8Array) => KeyObject): KeyObject {
    this.#native ??= shareKey(this.#keyType, this.#bytes, make);
    return this.#native.key;
  }

  /** @throws Problem `internal` if the key was destroyed */
  #demandOpen(): void {
    if (this.#isDestroyed) throw new Problem('internal', 'The key was used after it had been destroyed.');
  }
}

function isDigest(request: SigningRequest, keyType: 'secp256k1' | 'p256'): request is DigestRequest {
  return request.curve === keyType && request.digest.length === 32;
}

function misfit(request: SigningRequest, keyType: KeyType): Problem {
  const { length } = request.curve === 'ed25519' ? request.message : request.digest;
  const signs = keyType === 'ed25519' ? 'messages' : 'digests of 32 bytes';
  return new Problem(
    'plugin-fault',
    `The ledger plugin requested a signature of ${length} bytes on ${request.curve} from a key of type ${keyType}, which signs only ${signs}.`,
  );
}
