import { Problem } from '@ledger-ops/base';
import type { WalletKey } from '../types.ts';
import type { Secp256k1Signer } from './secp256k1.ts';

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
      return requests.map(({ curve, digest }) => {
        if (curve !== 'secp256k1' || digest.length !== 32) {
          throw new Problem(
            'plugin-fault',
            `The ledger plugin asked a secp256k1 key to sign ${digest.length} bytes on ${curve}; it signs 32 bytes on secp256k1.`,
          );
        }
        return sign(held.bytes, digest);
      });
    },
    destroy() {
      held.destroyed = true;
      held.bytes.fill(0);
    },
  };
}

/** @throws Problem `internal` when the key was destroyed. */
export function demandAlive(held: HeldKey): void {
  if (held.destroyed) throw new Problem('internal', 'The key was used after it was destroyed.');
}
