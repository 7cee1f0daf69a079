import { randomBytes } from 'node:crypto';
import { Problem } from '@ledger-ops/base';
import type { WalletKey } from './types.ts';
import type { HeldKey } from './wallet-key.ts';

/**
 * Stands for a wallet's key where a remote plugin keeps the key: random bytes that sign nothing. Opening them proves
 * that the caller knows the wallet's password, which the plugin never learns.
 */
export function generateRemote(): Uint8Array {
  return new Uint8Array(randomBytes(32));
}

/** There is none here. */
export function remotePublicKey(): Uint8Array {
  return new Uint8Array();
}

export function createRemoteKey(held: HeldKey): WalletKey {
  return {
    sign() {
      throw new Problem(
        'plugin-fault',
        'The plugin keeps the keys of its wallets itself, and asked for a signature all the same.',
      );
    },
    destroy() {
      held.destroyed = true;
      held.bytes.fill(0);
    },
  };
}
