import { createHmac, randomBytes } from 'node:crypto';
import type { SigningRequest } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { Signature, Signer } from './signer.ts';

/** Value in the column and the API, instead of a key type, for wallets whose keys a remote plugin holds. */
const pluginHeld = 'remote';

/** Returns the key type of a wallet's row; null if its plugin holds the key. */
export function keyTypeOf(column: string): string | null {
  return column === pluginHeld ? null : column;
}

/** Returns the value of the column, also shown by the API. */
export function keyTypeColumn(keyType: string | null): string {
  return keyType ?? pluginHeld;
}

/**
 * Stored in place of a key: random bytes that sign nothing. Opening these bytes proves that the caller knows
 * the wallet's password, which the plugin never receives. The wallet's id and secret at the plugin are
 * derived from these bytes, so a repeated creation has the same id and secret.
 */
export function generatePlaceholder(): Uint8Array {
  return new Uint8Array(randomBytes(32));
}

/**
 * The signer of a wallet whose key a remote plugin holds. The plugin signs by itself. The host's session only
 * derives values that must be the same after a crash: the "signature" of a message is its HMAC-SHA-256, with
 * the placeholder as the key.
 */
export class PluginKey implements Signer {
  readonly #placeholder: Uint8Array;

  constructor(placeholder: Uint8Array) {
    this.#placeholder = Uint8Array.from(placeholder);
  }

  async sign(requests: readonly SigningRequest[]): Promise<Signature[]> {
    return requests.map((request) => {
      if (request.curve === 'ed25519' && request.signer === undefined)
        return new Uint8Array(createHmac('sha256', this.#placeholder).update(request.message).digest());
      const detail =
        'The plugin keeps the keys of its wallets itself but requested a signature from this service.';
      throw new Problem('plugin-fault', detail);
    });
  }

  reference(): Uint8Array {
    return Uint8Array.from(this.#placeholder);
  }

  destroy(): void {
    this.#placeholder.fill(0);
  }
}
