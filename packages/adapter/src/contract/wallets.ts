import type { JsonObject } from './values.ts';

/**
 * `publicKey`: a compressed point of 33 bytes; for ed25519, the 32 bytes of RFC 8032.
 *
 * If the ledger must be called to create the account, request a signature first and call the ledger in `advanceWallet`: the
 * host stores the key before it signs, so that repeating an interrupted creation continues with the same key.
 */
export interface NewWallet {
  walletId: string;
  publicKey: Uint8Array;
  parameters: Readonly<Record<string, string>>;
}

/** A wallet as an adapter sees it. Contains no secrets. */
export interface WalletIdentity {
  /** Normalized, at most 512 characters, case-sensitive. `aliases` are other names of the same account. */
  address: string;
  aliases?: string[];
  /**
   * Data that the host stores and passes back with each use, for example a certificate. At most 64 KiB of JSON together
   * with the aliases.
   */
  material?: JsonObject;
  /**
   * After this time (ms since the epoch), the host calls `renewWallet` as soon as it has the wallet's key
   * again.
   */
  renewAt?: number;
}

/** A 32-byte digest to sign, with low s. Signatures: secp256k1 65 bytes r‖s‖v (v 0 or 1), p256 64 bytes r‖s. */
export interface DigestRequest {
  curve: 'secp256k1' | 'p256';
  digest: Uint8Array;
  /**
   * The message whose SHA-256 is the digest, if available (p256). With the message, signing in Node takes a
   * twentieth of the time.
   */
  message?: Uint8Array;
}

/** A message to sign. The signature has 64 bytes (RFC 8032). */
export interface MessageRequest {
  curve: 'ed25519';
  message: Uint8Array;
}

/**
 * `signer`: address of the wallet in the request's `others` that must sign. If absent, the sender's wallet
 * must sign.
 */
export type SigningRequest = (DigestRequest | MessageRequest) & { signer?: string };

/**
 * Either the result, or a request for signatures. The host passes `state` back unchanged, with the signatures
 * in the order of the requests.
 */
export type Round<Result> =
  | { done: true; result: Result }
  | { done: false; requests: SigningRequest[]; state: unknown };

export interface Advance {
  state: unknown;
  signatures: Uint8Array[];
}
