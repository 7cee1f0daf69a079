import type { Phase } from '@ledger-ops/adapter';
import { computeAddress, getAddress, hexlify } from 'ethers';
import { invalid } from '../invalid.ts';

export const zeroAddress = `0x${'0'.repeat(40)}`;

/**
 * Cache of valid addresses, keyed as in the request: computing a checksum takes twenty times as long as this
 * lookup.
 */
const checked = new Map<string, string>();
const mostChecked = 10_000;

/**
 * Converts an address to checksum form (EIP-55). Accepts `0x` and 40 hex digits, in one case or with a valid checksum.
 *
 * @throws AdapterError `invalid-argument` at the pointer
 */
export function requireAddress(text: string, phase: Phase, pointer: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw invalid(phase, pointer, 'is not an address; it must be 0x followed by 40 hexadecimal digits');
  }
  const known = checked.get(text);
  if (known !== undefined) return known;
  try {
    const address = getAddress(text);
    // A full cache is cleared, because addresses in use are soon added again.
    if (checked.size >= mostChecked) checked.clear();
    checked.set(text, address);
    return address;
  } catch {
    const detail = 'has a wrong checksum: check for typing errors, or write all letters in lowercase';
    throw invalid(phase, pointer, detail);
  }
}

/**
 * Returns the address of a public key.
 * @throws AdapterError `invalid-argument` if this is not a compressed point
 */
export function addressOfPublicKey(publicKey: Uint8Array): string {
  try {
    if (publicKey.length === 33) return computeAddress(hexlify(publicKey));
  } catch {
    // The point is not on the curve.
  }
  throw invalid('wallet', '/publicKey', 'must be a compressed secp256k1 point of 33 bytes');
}
