import { createECDH, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Secret } from '@ledger-ops/base';
import { SigningKey } from 'ethers';

/** Signs 32-byte digests: r‖s‖v, 65 bytes, v 0 or 1, low s, deterministic (RFC 6979). */
export interface Secp256k1Signer {
  /** `native`: libsecp256k1; `ethers`: JavaScript, about five times slower. */
  readonly name: 'native' | 'ethers';
  sign(privateKey: Uint8Array, digest: Uint8Array): Uint8Array;
}

/** The part of `secp256k1/bindings` that is used. */
interface NativeSecp256k1 {
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
}

/** libsecp256k1, or null where its binary is not installed or does not load. */
export function nativeSigner(): Secp256k1Signer | null {
  let native: NativeSecp256k1;
  try {
    // Not the package's main entry: that one falls back to JavaScript without a word.
    native = createRequire(import.meta.url)('secp256k1/bindings');
  } catch {
    return null;
  }
  return {
    name: 'native',
    sign(privateKey, digest) {
      const { signature, recid } = native.ecdsaSign(digest, privateKey);
      const bytes = new Uint8Array(65);
      bytes.set(signature);
      bytes[64] = recid;
      return bytes;
    },
  };
}

/** The same signatures in JavaScript. The key passes through texts, which cannot be overwritten. */
export function ethersSigner(): Secp256k1Signer {
  return {
    name: 'ethers',
    sign(privateKey, digest) {
      const { r, s, yParity } = new SigningKey(privateKey).sign(digest);
      const bytes = new Uint8Array(65);
      bytes.set(Buffer.from(r.slice(2), 'hex'));
      bytes.set(Buffer.from(s.slice(2), 'hex'), 32);
      bytes[64] = yParity;
      return bytes;
    },
  };
}

/** A new private key, 32 bytes. */
export function generateSecp256k1(): Uint8Array {
  for (;;) {
    const key = randomBytes(32);
    // Out of range once in 2^128.
    if (secp256k1PublicKey(key) !== null) return key;
  }
}

/** Reads a private key in hex, with or without `0x`. The 32 bytes, or null. */
export function readHexKey(text: Secret): Uint8Array | null {
  const hex = text.reveal();
  return /^(0x)?[0-9a-fA-F]{64}$/.test(hex) ? Buffer.from(hex.slice(-64), 'hex') : null;
}

/** The compressed public key, 33 bytes; null when the bytes are no private key (32 bytes, 0 < key < n). */
export function secp256k1PublicKey(privateKey: Uint8Array): Uint8Array | null {
  if (privateKey.length !== 32) return null;
  const curve = createECDH('secp256k1');
  try {
    curve.setPrivateKey(privateKey);
    return new Uint8Array(curve.getPublicKey(null, 'compressed'));
  } catch {
    return null;
  }
}
