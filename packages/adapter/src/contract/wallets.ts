import type { JsonObject } from './values.ts';

/** A wallet as an adapter sees it: public material only. */
export interface WalletIdentity {
  /** The normalised account address, 512 characters at most. Compared as it is: case counts. */
  address: string;
  /** Other names of the same account on the ledger. */
  aliases?: string[];
  /** Public material that the adapter wants back with each use, e.g. a certificate. */
  material?: JsonObject;
  /** From then on (ms since the epoch) the host calls `renewWallet` when it next has the wallet's key. */
  renewAt?: number;
}

/**
 * A digest to be signed with the wallet's key. secp256k1 signatures are 65 bytes r‖s‖v (v 0 or 1, low s), p256 ones 64 bytes
 * r‖s (low s).
 */
export interface DigestRequest {
  curve: 'secp256k1' | 'p256';
  /** 32 bytes. */
  digest: Uint8Array;
  /**
   * The digest is its SHA-256, where it is at hand (p256). Node signs such messages natively, but no digests:
   * with it a signature costs a twentieth.
   */
  message?: Uint8Array;
}

/** A message to be signed with the wallet's key: 64 bytes (RFC 8032). */
export interface MessageRequest {
  curve: 'ed25519';
  message: Uint8Array;
}

export type SigningRequest = DigestRequest | MessageRequest;

/** Either finished, or signatures are needed to go on; `state` comes back unchanged with them. */
export type Round<Result> =
  | { done: true; result: Result }
  | { done: false; requests: SigningRequest[]; state: unknown };

export interface Advance {
  state: unknown;
  /** In the order of the requests. */
  signatures: Uint8Array[];
}

export interface NewWallet {
  walletId: string;
  /** A compressed point of 33 bytes; of ed25519 the 32 bytes of RFC 8032. */
  publicKey: Uint8Array;
  parameters: Readonly<Record<string, string>>;
}
