import type { KeyType, SigningRequest } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { signP256 } from './p256.ts';
import type { Secp256k1Signer } from './secp256k1.ts';
import { type SharedKey, shareP256Key } from './shared-keys.ts';
import type { WalletKey } from './types.ts';

/** The bytes behind a key; all zero once it is destroyed. */
export interface HeldKey {
  readonly bytes: Uint8Array;
  destroyed: boolean;
}

/** A secp256k1 key that signs until it is destroyed. */
export function createWalletKey(held: HeldKey, signer: () => Secp256k1Signer): WalletKey {
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

/** A P-256 key that signs until it is destroyed. What node:crypto makes of it is kept as long. */
export function createP256Key(held: HeldKey): WalletKey {
  let native: SharedKey | undefined;
  return {
    sign(requests) {
      demandAlive(held);
      native ??= shareP256Key(held.bytes);
      const { key } = native;
      return requests.map((request) => {
        demandFit(request, 'p256');
        return signP256(request, held.bytes, key);
      });
    },
    destroy() {
      destroy(held);
      native?.release();
      native = undefined;
    },
  };
}

function demandFit({ curve, digest }: SigningRequest, keyType: KeyType): void {
  if (curve === keyType && digest.length === 32) return;
  throw new Problem(
    'plugin-fault',
    `The ledger plugin asked a ${keyType} key to sign ${digest.length} bytes on ${curve}; it signs 32 bytes on ${keyType}.`,
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
