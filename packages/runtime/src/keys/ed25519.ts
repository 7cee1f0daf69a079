import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  timingSafeEqual,
} from 'node:crypto';
import type { Secret } from '@ledger-ops/base';
import { base58 } from '@scure/base';

/** PKCS #8 (RFC 8410) header that precedes the 32 bytes of the key. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Length in bytes of the public key at the end of a SubjectPublicKeyInfo (RFC 8410). */
const publicLength = 32;
/**
 * Maximum length of a text that is read as a key. Valid keys are shorter: 64 numbers with spaces, or 88 characters of
 * base58.
 */
const maxText = 1_024;

/** Returns a new private key: the 32-byte seed of RFC 8032. */
export function generateEd25519(): Uint8Array {
  return new Uint8Array(randomBytes(32));
}

/** Returns the 32-byte public key (RFC 8032). Any 32 bytes are a valid private key. Returns null for other lengths. */
export function ed25519PublicKey(privateKey: Uint8Array): Uint8Array | null {
  if (privateKey.length !== 32) return null;
  const spki = createPublicKey(ed25519KeyObject(privateKey)).export({ format: 'der', type: 'spki' });
  return new Uint8Array(spki.subarray(-publicLength));
}

/** Converts the key to a KeyObject. */
export function ed25519KeyObject(privateKey: Uint8Array): KeyObject {
  const key = Buffer.concat([pkcs8Head, privateKey]);
  try {
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } finally {
    key.fill(0);
  }
}

/** Signs a message with pure Ed25519 (RFC 8032). The 64-byte signature is deterministic. */
export function signEd25519(message: Uint8Array, key: KeyObject): Uint8Array {
  return new Uint8Array(sign(null, message, key));
}

/**
 * Reads a private key in the formats of wallets: the seed (32 bytes) or the pair of seed and public key (64 bytes), as
 * a JSON array of numbers or in base58. Returns the seed; null if the string is invalid or the halves do not match.
 */
export function readEd25519Key(text: Secret): Uint8Array | null {
  const bytes = bytesOf(text.reveal().trim());
  if (bytes === null) return null;
  try {
    const seed = Uint8Array.from(bytes.subarray(0, 32));
    const publicKey = ed25519PublicKey(seed);
    const paired =
      bytes.length === 64 && publicKey !== null && timingSafeEqual(publicKey, bytes.subarray(32));
    if (bytes.length === 32 || paired) return seed;
    seed.fill(0);
    return null;
  } finally {
    bytes.fill(0);
  }
}

/**
 * Writes the pair of seed and public key as a JSON array of 64 numbers and in base58. Neither form is
 * encrypted.
 */
export function writeEd25519Key(privateKey: Uint8Array): { document: string; base58: string } {
  const pair = Buffer.concat([privateKey, ed25519PublicKey(privateKey) ?? new Uint8Array()]);
  try {
    return { document: JSON.stringify([...pair]), base58: base58.encode(pair) };
  } finally {
    pair.fill(0);
  }
}

function bytesOf(text: string): Uint8Array | null {
  if (text.length > maxText) return null;
  try {
    if (!text.startsWith('[')) return base58.decode(text);
    const numbers: unknown = JSON.parse(text);
    const isByte = (value: unknown): value is number =>
      Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;
    return Array.isArray(numbers) && numbers.every(isByte) ? Uint8Array.from(numbers) : null;
  } catch {
    return null;
  }
}
