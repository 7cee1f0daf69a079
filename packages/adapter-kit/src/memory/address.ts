import { createHash } from 'node:crypto';

const addressPattern = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** SHA-256 of the concatenated parts. */
export function sha256(...parts: (string | Uint8Array)[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return Uint8Array.from(hash.digest());
}

/** `0x` and lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/**
 * Returns the account address of a public key: the last 20 bytes of the SHA-256 of a compressed point. An
 * ed25519 key is its own address.
 */
export function addressOfPublicKey(publicKey: Uint8Array): string {
  if (publicKey.length === 32) return toHex(publicKey);
  return toHex(sha256(publicKey).subarray(12));
}

/** Address of a contract that an account deploys. Known before the deployment. */
export function contractAddressOf(from: string, unique: string): string {
  return toHex(sha256(from, ':', unique).subarray(12));
}

/** Returns the public key of an ed25519 account; undefined for accounts with another key type. */
export function ed25519KeyOf(address: string): Uint8Array | undefined {
  return address.length === 66 ? Buffer.from(address.slice(2), 'hex') : undefined;
}

/** Lower-case form of an address; undefined if it is invalid. */
export function parseAddress(text: string): string | undefined {
  const lower = text.trim().toLowerCase();
  return addressPattern.test(lower) ? lower : undefined;
}

/** A contract of the ledger itself that returns the height. Only callers with permission may call it. */
export const systemContract = `0x${'0'.repeat(39)}1`;
