import type { Phase } from '@ledger-ops/adapter';
import { computeAddress, getAddress, hexlify } from 'ethers';
import { invalid } from '../invalid.ts';

export const zeroAddress = `0x${'0'.repeat(40)}`;

/** Addresses that were right, as they were written: a checksum takes twenty times as long as a look here. */
const checked = new Map<string, string>();
const mostChecked = 10_000;

/**
 * An address in checksum form (EIP-55). Taken are `0x` and 40 hex digits, all of one case or with a right checksum.
 * @throws AdapterError `invalid-argument` at the pointer.
 */
export function requireAddress(text: string, phase: Phase, pointer: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw invalid(phase, pointer, 'is not an address: 0x and 40 hex digits are expected');
  }
  const known = checked.get(text);
  if (known !== undefined) return known;
  try {
    const address = getAddress(text);
    // Addresses in use come back at once.
    if (checked.size >= mostChecked) checked.clear();
    checked.set(text, address);
    return address;
  } catch {
    const detail = 'has a wrong checksum: some digit is mistyped, or write all letters in lower case';
    throw invalid(phase, pointer, detail);
  }
}

/** The address of a public key. @throws AdapterError `invalid-argument` when it is no compressed point. */
export function addressOfPublicKey(publicKey: Uint8Array): string {
  try {
    if (publicKey.length === 33) return computeAddress(hexlify(publicKey));
  } catch {
    // Not on the curve.
  }
  throw invalid('wallet', '/publicKey', 'must be a compressed point of secp256k1, 33 bytes');
}
