import { createHmac, randomBytes } from 'node:crypto';
import type { SigningRequest } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { Signature, Signer } from './signer.ts';

/**
 * The value that wallets have in place of a key type, in the database and the API, if a remote plugin holds their keys.
 */
const pluginHeld = 'remote';

/** Returns the key type of a wallet, given the value of its column; null if its plugin holds the key. */
export function keyTypeOf(column: string): string | null {
  return column === pluginHeld ? null : column;
}

/** Returns the value to store for a key type, which the API also shows. */
export function keyTypeColumn(keyType: string | null): string {
  return keyType ?? pluginHeld;
}

/**
 * Generates random bytes to store in place of a key. Opening them proves that the caller knows the wallet's password,
 * which the plugin never receives. The wallet's id and secret at the plugin are derived from them, so a repeated
 * creation uses the same id and secret.
 */
export function generatePlaceholder(): Uint8Array {
  return new Uint8Array(randomBytes(32));
}

/**
 * The signer of a wallet whose key a remote plugin holds. The plugin signs transactions by itself. The host only
 * derives values that must be the same after a crash: the "signature" of a message is its HMAC-SHA-256, with the
 * placeholder as the key.
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
