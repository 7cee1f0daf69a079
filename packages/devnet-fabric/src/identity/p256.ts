import { type KeyObject, sign, verify } from 'node:crypto';

/**
 * The order of the curve's group. If (r, s) is a valid signature, so is (r, order - s); Fabric accepts only
 * the lower one.
 */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const half = Buffer.from((order >> 1n).toString(16).padStart(64, '0'), 'hex');
const size = 32;

/** Signs with ECDSA and SHA-256. The result is DER with the lower of the two possible values of s. */
export function signLowS(data: Uint8Array, key: KeyObject): Buffer {
  const raw = sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
  const s = raw.subarray(size);
  if (s.compare(half) > 0) {
    const low = order - BigInt(`0x${s.toString('hex')}`);
    s.write(low.toString(16).padStart(2 * size, '0'), 'hex');
  }
  return sequence(raw.subarray(0, size), s);
}

/**
 * Whether this is the key's ECDSA signature (SHA-256, DER) over the data, with a low s as Fabric requires.
 */
export function verifyLowS(data: Uint8Array, signature: Uint8Array, key: KeyObject): boolean {
  return hasLowS(signature) && verify('sha256', data, key, signature);
}

/** Whether the s of a DER signature is in the lower half. False if the bytes are not a signature. */
export function hasLowS(signature: Uint8Array): boolean {
  const rLength = signature[3];
  if (signature[0] !== 0x30 || signature[2] !== 2 || rLength === undefined) return false;
  const at = 4 + rLength;
  const sLength = signature[at + 1];
  if (signature[at] !== 2 || sLength === undefined || signature.length !== at + 2 + sLength) return false;
  let s = Buffer.from(signature.subarray(at + 2));
  while (s.length > size && s[0] === 0) s = s.subarray(1);
  if (s.length > size) return false;
  return Buffer.concat([Buffer.alloc(size - s.length), s]).compare(half) <= 0;
}

function sequence(r: Buffer, s: Buffer): Buffer {
  const body = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

function integer(value: Buffer): Buffer {
  let start = 0;
  while (start < value.length - 1 && value[start] === 0) start += 1;
  const trimmed = value.subarray(start);
  const sign = (trimmed[0] ?? 0) >= 0x80 ? [0] : [];
  return Buffer.concat([Buffer.from([2, trimmed.length + sign.length, ...sign]), trimmed]);
}
