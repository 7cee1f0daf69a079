import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** Keccak-256 as Ethereum uses it: 32 bytes. The padding differs from that of SHA3-256 (FIPS 202). */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary');
}
