import type { KeyObject } from 'node:crypto';
import type { DigestRequest, KeyType, SigningRequest } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { ed25519KeyObject, signEd25519 } from './ed25519.ts';
import { notNamed } from './joint-key.ts';
import { p256KeyObject, signP256 } from './p256.ts';
import type { Secp256k1Signer } from './secp256k1.ts';
import { type SharedKey, shareKey } from './shared-keys.ts';
import type { WalletKey } from './types.ts';

/** The bytes behind a key; all zero once it is destroyed. */
export interface HeldKey {
  readonly bytes: Uint8Array;
  destroyed: boolean;
}

/** A secp256k1 key that signs until it is destroyed. */
export function createSecp256k1Key(held: HeldKey, signer: () => Secp256k1Signer): WalletKey {
  return {
    sign(requests) {
      demandAlive(held);
      const { sign } = signer();
      return requests.map((request) => {
        demandFit(request, 'secp256k1');
        return sign(held.bytes, request.digest);
      });
    },
    destroy: () => destroy(held),
  };
}

/** A P-256 key that signs until it is destroyed. */
export function createP256Key(held: HeldKey): WalletKey {
  return createNativeKey(held, 'p256', p256KeyObject, (request, key) => {
    demandFit(request, 'p256');
    return signP256(request, held.bytes, key);
  });
}

/** An Ed25519 key that signs until it is destroyed. */
export function createEd25519Key(held: HeldKey): WalletKey {
  return createNativeKey(held, 'ed25519', ed25519KeyObject, (request, key) => {
    demandOwn(request);
    if (request.curve !== 'ed25519') throw misfit(request, 'ed25519');
    return signEd25519(request.message, key);
  });
}

/** A key that node:crypto signs with. What it makes of the bytes is kept as long as the key. */
function createNativeKey(
  held: HeldKey,
  keyType: KeyType,
  make: (privateKey: Uint8Array) => KeyObject,
  sign: (request: SigningRequest, key: KeyObject) => Uint8Array,
): WalletKey {
  let native: SharedKey | undefined;
  return {
    sign(requests) {
      demandAlive(held);
      native ??= shareKey(keyType, held.bytes, make);
      const { key } = native;
      return requests.map((request) => sign(request, key));
    },
    destroy() {
      destroy(held);
      native?.release();
      native = undefined;
    },
  };
}

function demandFit<Curve extends 'secp256k1' | 'p256'>(
  request: SigningRequest,
  keyType: Curve,
): asserts request is DigestRequest {
  demandOwn(request);
  if (request.curve !== keyType || request.digest.length !== 32) throw misfit(request, keyType);
}

/** A key signs for its own wallet alone; whose signature is asked for by name is not it. */
function demandOwn({ signer }: SigningRequest): void {
  if (signer !== undefined) throw notNamed();
}

function misfit(request: SigningRequest, keyType: KeyType): Problem {
  const { length } = request.curve === 'ed25519' ? request.message : request.digest;
  const signs = keyType === 'ed25519' ? 'messages' : 'digests of 32 bytes';
  return new Problem(
    'plugin-fault',
    `The ledger plugin asked a ${keyType} key to sign ${length} bytes on ${request.curve}; it signs ${signs} on ${keyType}.`,
  );
}

function destroy(held: HeldKey): void {
  held.destroyed = true;
  held.bytes.fill(0);
}

/** @throws Problem `internal` when the key was destroyed. */
export function demandAlive(held: HeldKey): void {
  if (held.destroyed) throw new Problem('internal', 'The key was used after it was destroyed.');
}
