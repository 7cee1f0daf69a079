import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { JsonObject } from '@ledger-ops/adapter';

const ivLength = 12;
const tagLength = 16;

/** Seals private keys: only the plugin's master key and the wallet's secret together open one. */
export interface Custody {
  seal(key: Uint8Array, secret: string, walletId: string): Uint8Array;
  /** Undefined when the secret is not the wallet's. */
  open(sealed: Uint8Array, secret: string, walletId: string): Uint8Array | undefined;
  /** Seals what an action still needs in order to be signed: only the plugin's master key opens it. */
  sealGrant(grant: ActionGrant, actionId: string): Uint8Array;
  /** Undefined when it is not the action's. */
  openGrant(sealed: Uint8Array, actionId: string): ActionGrant | undefined;
}

/** The key that an action still needs in order to be signed. */
export interface ActionGrant {
  key: Uint8Array;
  /** As `check` gave it. */
  secret: JsonObject | undefined;
  /** Of other wallets that sign, by their ids. */
  others: readonly { walletId: string; key: Uint8Array }[];
}

interface WrittenGrant {
  key: string;
  secret?: JsonObject;
  others?: { walletId: string; key: string }[];
}

/**
 * AES-256-GCM (NIST SP 800-38D) under a key from both secrets (HKDF-SHA-256, RFC 5869), bound to the wallet.
 * Layout: iv (12) ‖ tag (16) ‖ ciphertext.
 * @param masterKey 32 bytes.
 */
export function createCustody(masterKey: Uint8Array): Custody {
  if (masterKey.length !== 32) throw new TypeError(`A master key has 32 bytes, not ${masterKey.length}.`);
  const derive = (secret: string, purpose: string) =>
    new Uint8Array(hkdfSync('sha256', secret, masterKey, `ledger-ops ${purpose}`, 32));
  const keyFor = (secret: string, walletId: string) => derive(secret, `wallet ${walletId}`);
  return {
    seal: (key, secret, walletId) => seal(keyFor(secret, walletId), key),
    open: (sealed, secret, walletId) => open(keyFor(secret, walletId), sealed),
    sealGrant({ key, secret, others }, actionId) {
      const written = others.map((one) => ({
        walletId: one.walletId,
        key: Buffer.from(one.key).toString('base64'),
      }));
      const text = JSON.stringify({ key: Buffer.from(key).toString('base64'), secret, others: written });
      return seal(derive('', `action ${actionId}`), Buffer.from(text));
    },
    openGrant(sealed, actionId) {
      const plain = open(derive('', `action ${actionId}`), sealed);
      if (plain === undefined) return undefined;
      // Written by `sealGrant`, and authenticated by having opened.
      const { key, secret, others = [] }: WrittenGrant = JSON.parse(Buffer.from(plain).toString());
      plain.fill(0);
      const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
      return {
        ...{ key: bytesOf(key), secret },
        others: others.map((one) => ({ walletId: one.walletId, key: bytesOf(one.key) })),
      };
    },
  };
}

function seal(key: Uint8Array, plain: Uint8Array): Uint8Array {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return new Uint8Array(Buffer.concat([iv, cipher.getAuthTag(), sealed]));
}

function open(key: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivLength));
  decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
  try {
    const plain = [decipher.update(sealed.subarray(ivLength + tagLength)), decipher.final()];
    return new Uint8Array(Buffer.concat(plain));
  } catch {
    return undefined;
  }
}
