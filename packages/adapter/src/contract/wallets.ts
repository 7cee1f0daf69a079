import type { JsonObject } from './values.ts';

/** `publicKey`: a compressed point of 33 bytes; of ed25519 the 32 bytes of RFC 8032. */
export interface NewWallet {
  walletId: string;
  publicKey: Uint8Array;
  parameters: Readonly<Record<string, string>>;
}

/** A wallet as an adapter sees it: public material only. */
export interface WalletIdentity {
  /** Normalised, 512 characters at most. Compared as it is: case counts. `aliases`: other names of the same account. */
  address: string;
  aliases?: string[];
  /** Given back to the adapter with each use, e.g. a certificate. */
  material?: JsonObject;
  /** From then on (ms since the epoch) the host calls `renewWallet` when it next has the wallet's key. */
  renewAt?: number;
}

/** A 32-byte digest to sign, with low s: secp256k1 65 bytes r‖s‖v (v 0 or 1), p256 64 bytes r‖s. */
export interface DigestRequest {
  curve: 'secp256k1' | 'p256';
  digest: Uint8Array;
  /** Whose SHA-256 the digest is, where it is at hand (p256): with it a signature costs a twentieth in Node. */
  message?: Uint8Array;
}

/** A message to sign: 64 bytes (RFC 8032). */
export interface MessageRequest {
  curve: 'ed25519';
  message: Uint8Array;
}

/** `signer`: the address of one of the request's `others`, whose signature it is; absent: the wallet's. */
export type SigningRequest = (DigestRequest | MessageRequest) & { signer?: string };

/** Finished, or signatures are needed: `state` comes back unchanged with them, in the order of the requests. */
export type Round<Result> =
  | { done: true; result: Result }
  | { done: false; requests: SigningRequest[]; state: unknown };

export interface Advance {
  state: unknown;
  signatures: Uint8Array[];
}
