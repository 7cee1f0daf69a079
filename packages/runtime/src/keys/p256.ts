import {
  createECDH,
  createPrivateKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign as signNatively,
} from 'node:crypto';
import type { DigestRequest } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { p256 } from '@noble/curves/nist.js';

/** Order of the curve's base point (FIPS 186-5, P-256), and half of it. A low s is at most this half. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const half = order / 2n;

/**
 * PKCS #8 (RFC 5958) header that precedes the 32 bytes of the key, without a public key. OpenSSL reads it
 * faster than SEC 1.
 */
const pkcs8Head = Buffer.from(
  '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420',
  'hex',
);

/** Generates a 32-byte private key. */
export function generateP256(): Uint8Array {
  const secret = p256Secret(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  if (secret !== null) return secret;
  throw new Problem('internal', 'The generated key cannot be read.');
}

/** Returns the compressed public key, 33 bytes; null if the bytes are not a private key (32 bytes, 0 < key < n). */
export function p256PublicKey(privateKey: Uint8Array): Uint8Array | null {
  if (privateKey.length !== 32) return null;
  const curve = createECDH('prime256v1');
  try {
    curve.setPrivateKey(privateKey);
    return new Uint8Array(curve.getPublicKey(null, 'compressed'));
  } catch {
    return null;
  }
}

/** Converts the key to a KeyObject. @throws if the bytes are not a private key */
export function p256KeyObject(privateKey: Uint8Array): KeyObject {
  const key = Buffer.concat([pkcs8Head, privateKey]);
  try {
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } finally {
    key.fill(0);
  }
}

/** Returns the 32 bytes of a private key; null if the key is not a P-256 key. */
export function p256Secret(key: KeyObject): Uint8Array | null {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return null;
  const sec1 = key.export({ format: 'der', type: 'sec1' });
  try {
    // SEC 1 (RFC 5915): the version 1, followed by an OCTET STRING with the 32 bytes of the key.
    const at = sec1.indexOf(Buffer.from('0201010420', 'hex'));
    return at === 2 ? Uint8Array.from(sec1.subarray(at + 5, at + 37)) : null;
  } finally {
    sec1.fill(0);
  }
}

/**
 * Signs a 32-byte digest: r‖s, 64 bytes, low s. Node signs natively only data that it hashes itself. If the request
 * does not contain the message, JavaScript code signs, which is about twenty times slower.
 *
 * @throws Problem `plugin-fault` if the digest does not match the message
 */
export function signP256(
  { digest, message }: DigestRequest,
  privateKey: Uint8Array,
  key: KeyObject,
): Uint8Array {
  if (message === undefined) return p256.sign(digest, privateKey, { prehash: false, lowS: true });
  if (!hash('sha256', message, 'buffer').equals(digest)) {
    const detail = 'The ledger plugin requested a signature of a digest that does not match its message.';
    throw new Problem('plugin-fault', detail);
  }
  return fromDer(signNatively('sha256', message, key));
}

/**
 * Converts an ECDSA-Sig-Value (RFC 3279) to r‖s with low s. Node's own conversion takes longer than signing.
 */
function fromDer(der: Uint8Array): Uint8Array {
  const signature = new Uint8Array(64);
  // The lengths of the SEQUENCE and of both INTEGERs take one byte each, because the structure has at most 72 bytes.
  const r = integerAt(der, 2);
  const s = integerAt(der, r.end);
  signature.set(r.bytes, 32 - r.bytes.length);
  const value = BigInt(`0x${Buffer.from(s.bytes).toString('hex')}`);
  const low = value > half ? order - value : value;
  signature.set(Buffer.from(low.toString(16).padStart(64, '0'), 'hex'), 32);
  return signature;
}

/** Reads a non-negative INTEGER without its leading zero. */
function integerAt(der: Uint8Array, at: number): { bytes: Uint8Array; end: number } {
  const end = at + 2 + (der[at + 1] ?? 0);
  const start = der[at + 2] === 0 ? at + 3 : at + 2;
  return { bytes: der.subarray(start, end), end };
}
