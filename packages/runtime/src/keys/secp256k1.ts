import { createECDH, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Secret } from '@ledger-ops/base';

const require = createRequire(import.meta.url);

/**
 * `native`: libsecp256k1, compiled for this platform. `wasm`: the same library as WebAssembly, about a third as fast.
 */
export type Secp256k1SignerName = 'native' | 'wasm';

/**
 * Signs 32-byte digests. Signatures are r‖s‖v (65 bytes, v is 0 or 1), have a low s, and are deterministic (RFC 6979).
 */
export interface Secp256k1Signer {
  readonly name: Secp256k1SignerName;
  sign(privateKey: Uint8Array, digest: Uint8Array): Uint8Array;
}

/** The members of `secp256k1/bindings` that are used. */
interface NativeSecp256k1 {
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
}

/** Loads libsecp256k1; null if its binary is missing or does not load. */
export function nativeSigner(): Secp256k1Signer | null {
  let native: NativeSecp256k1;
  try {
    // Imports the bindings, because the package's main entry falls back to JavaScript without an error.
    native = require('secp256k1/bindings');
  } catch {
    return null;
  }
  return {
    name: 'native',
    sign(privateKey, digest) {
      const { signature, recid } = native.ecdsaSign(digest, privateKey);
      return joined(signature, recid);
    },
  };
}

/** The members of `tiny-secp256k1` that are used. */
interface WasmSecp256k1 {
  signRecoverable(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recoveryId: number };
}

/** Returns a signer that creates the same signatures on every platform. The library overwrites its copy of the key. */
export function wasmSigner(): Secp256k1Signer {
  // This module is loaded only if needed, because compiling it takes a few milliseconds.
  const wasm: WasmSecp256k1 = require('tiny-secp256k1');
  return {
    name: 'wasm',
    sign(privateKey, digest) {
      const { signature, recoveryId } = wasm.signRecoverable(digest, privateKey);
      return joined(signature, recoveryId);
    },
  };
}

function joined(signature: Uint8Array, recoveryId: number): Uint8Array {
  const bytes = new Uint8Array(65);
  bytes.set(signature);
  bytes[64] = recoveryId;
  return bytes;
}

/** Generates a 32-byte private key. */
export function generateSecp256k1(): Uint8Array {
  for (;;) {
    const key = randomBytes(32);
    // A random value is out of range with a probability of about 2^-128.
    if (secp256k1PublicKey(key) !== null) return key;
  }
}

/** Reads a private key in hex, with or without `0x`. Returns the 32 bytes, or null. */
export function readHexKey(text: Secret): Uint8Array | null {
  const hex = text.reveal();
  return /^(0x)?[0-9a-fA-F]{64}$/.test(hex) ? Buffer.from(hex.slice(-64), 'hex') : null;
}

/** Returns the compressed public key, 33 bytes; null if the bytes are not a private key (32 bytes, 0 < key < n). */
export function secp256k1PublicKey(privateKey: Uint8Array): Uint8Array | null {
  return publicKey(privateKey, 'compressed');
}

/** Returns the uncompressed public key, 65 bytes that start with 4; null if the bytes are not a private key. */
export function secp256k1Point(privateKey: Uint8Array): Uint8Array | null {
  return publicKey(privateKey, 'uncompressed');
}

function publicKey(privateKey: Uint8Array, format: 'compressed' | 'uncompressed'): Uint8Array | null {
  if (privateKey.length !== 32) return null;
  const curve = createECDH('secp256k1');
  try {
    curve.setPrivateKey(privateKey);
    return new Uint8Array(curve.getPublicKey(null, format));
  } catch {
    return null;
  }
}
