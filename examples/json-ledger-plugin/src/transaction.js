// @ts-check
import { createHash, createPublicKey, ECDH, verify } from 'node:crypto';

/**
 * The signed content of a transfer. Quantities are decimal strings.
 * @typedef {{ chain: string, from: string, to: string, amount: string, sequence: string }} Transfer
 */

/** @param {Uint8Array | string} data */
const sha256 = (data) => createHash('sha256').update(data).digest();

/**
 * An account's address is its public key, a compressed point of P-256 in lower-case hex.
 * @param {string} address
 * @returns {string | undefined} the normalized address; undefined if it is not an address
 */
export function normalAddress(address) {
  const normal = address.toLowerCase();
  try {
    if (!/^0[23][0-9a-f]{64}$/.test(normal)) return undefined;
    ECDH.convertKey(normal, 'prime256v1', 'hex', 'hex', 'uncompressed');
    return normal;
  } catch {
    return undefined;
  }
}

/** @param {Transfer} transfer to be signed by the host */
export function digestOf(transfer) {
  return new Uint8Array(sha256(textOf(transfer)));
}

/** @param {Transfer} transfer */
function textOf({ chain, from, to, amount, sequence }) {
  return JSON.stringify([chain, from, to, amount, sequence]);
}

/**
 * The complete transaction: anyone who has these bytes can send them.
 * @param {Transfer} transfer
 * @param {Uint8Array} signature r‖s, 64 bytes
 */
export function encode(transfer, signature) {
  const text = JSON.stringify({ transfer, signature: Buffer.from(signature).toString('hex') });
  return new TextEncoder().encode(text);
}

/**
 * The id of a transaction is the hash of its bytes, so it is known before they are sent.
 * @param {Uint8Array} bytes
 */
export function idOf(bytes) {
  return sha256(bytes).toString('hex');
}

/**
 * @param {Uint8Array} bytes
 * @returns {Transfer | undefined} undefined if the bytes are not a transfer signed by its sender
 */
export function decode(bytes) {
  try {
    const { transfer, signature } = JSON.parse(new TextDecoder().decode(bytes));
    const point = ECDH.convertKey(transfer.from, 'prime256v1', 'hex', undefined, 'uncompressed');
    if (typeof point === 'string') return undefined;
    const x = point.subarray(1, 33).toString('base64url');
    const y = point.subarray(33).toString('base64url');
    const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
    const form = /** @type {const} */ ({ key, dsaEncoding: 'ieee-p1363' });
    const signed = verify('sha256', Buffer.from(textOf(transfer)), form, Buffer.from(signature, 'hex'));
    const again = encode(transfer, Buffer.from(signature, 'hex'));
    return signed && Buffer.compare(again, bytes) === 0 ? transfer : undefined;
  } catch {
    return undefined;
  }
}
