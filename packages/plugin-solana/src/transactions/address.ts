import type { Phase } from '@ledger-ops/adapter';
import { type Address, getAddressDecoder, isOffCurveAddress } from '@solana/addresses';
import { invalid } from '../invalid.ts';
import { isAddressText } from './base58.ts';

/** @throws AdapterError `invalid-argument` */
export function requireAddress(text: string, phase: Phase, pointer: string): Address {
  if (!isAddressText(text)) throw invalid(phase, pointer, 'must be an address: 32 bytes in base58');
  return text;
}

/**
 * Returns the account of a public key.
 * @throws AdapterError `invalid-argument`
 */
export function addressOfPublicKey(publicKey: Uint8Array): Address {
  const address = publicKey.length === 32 ? getAddressDecoder().decode(publicKey) : undefined;
  if (address === undefined || isOffCurveAddress(address)) {
    throw invalid('wallet', '/publicKey', 'must be the 32 bytes of an ed25519 public key');
  }
  return address;
}
