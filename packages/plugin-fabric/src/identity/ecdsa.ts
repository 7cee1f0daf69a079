import { type KeyObject, sign } from 'node:crypto';
import type { Phase } from '@ledger-ops/adapter';
import { parsePrivateKey } from '@ledger-ops/adapter/outbound';
import { invalid } from '../invalid.ts';
import { integer, sequence } from './der.ts';

const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
const half = order >> 1n;

/**
 * Converts the host's signature (64 bytes, r‖s, low s) to Fabric's form (DER).
 * @throws AdapterError `invalid-argument`
 */
export function toDer(signature: Uint8Array, phase: Phase): Uint8Array {
  if (signature.length !== 64) {
    throw invalid(phase, '/signatures/0', 'must have 64 bytes (r and s)');
  }
  return sequence(integer(signature.subarray(0, 32)), integer(signature.subarray(32)));
}

/**
 * Signs messages with a key of this process: the key of the query identity or of the registrar, never a
 * wallet's key.
 */
export type OwnSigner = (message: Uint8Array) => Uint8Array;

/**
 * Signs with ECDSA and SHA-256. The signature is DER with a low s, as peers and CAs require. Uses native
 * code, because JavaScript is 25 times slower.
 */
export function ownSigner(key: KeyObject): OwnSigner {
  return (message) => {
    const raw = sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' });
    const s = BigInt(`0x${raw.toString('hex', 32)}`);
    if (s <= half) return sequence(integer(raw.subarray(0, 32)), integer(raw.subarray(32)));
    return sequence(integer(raw.subarray(0, 32)), integer(order - s));
  };
}

/** Returns the P-256 key of a PEM string. @throws Error */
export function readPrivateKey(pem: string): KeyObject {
  const key = parsePrivateKey(pem);
  if (key?.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new TypeError('The key is not a P-256 key.');
  return key;
}
