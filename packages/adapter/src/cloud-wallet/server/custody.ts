import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ivLength = 12;
const tagLength = 16;

/** Seals private keys: only the plugin's master key and the wallet's secret together open one. */
export interface Custody {
  seal(key: Uint8Array, secret: string, walletId: string): Uint8Array;
  /** Undefined when the secret is not the wallet's. */
  open(sealed: Uint8Array, secret: string, walletId: string): Uint8Array | undefined;
}

/**
 * AES-256-GCM (NIST SP 800-38D) under a key from both secrets (HKDF-SHA-256, RFC 5869), bound to the wallet.
 * Layout: iv (12) ‖ tag (16) ‖ ciphertext.
 * @param masterKey 32 bytes.
 */
export function createCustody(masterKey: Uint8Array): Custody {
  if (masterKey.length !== 32) throw new TypeError(`A master key has 32 bytes, not ${masterKey.length}.`);
  const keyFor = (secret: string, walletId: string) =>
    new Uint8Array(hkdfSync('sha256', secret, masterKey, `ledger-ops wallet ${walletId}`, 32));
  return {
    seal(key, secret, walletId) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', keyFor(secret, walletId), iv);
      const sealed = Buffer.concat([cipher.update(key), cipher.final()]);
      return new Uint8Array(Buffer.concat([iv, cipher.getAuthTag(), sealed]));
    },
    open(sealed, secret, walletId) {
      const iv = sealed.subarray(0, ivLength);
      const decipher = createDecipheriv('aes-256-gcm', keyFor(secret, walletId), iv);
      decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
      try {
        const plain = [decipher.update(sealed.subarray(ivLength + tagLength)), decipher.final()];
        return new Uint8Array(Buffer.concat(plain));
      } catch {
        return undefined;
      }
    },
  };
}
