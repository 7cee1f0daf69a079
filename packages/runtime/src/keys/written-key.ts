/** A private key for its owner, as its type is usually written. */
export interface WrittenKey {
  /** `keystore-v3` and `pem` are encrypted with the password; `ed25519-pair`, a JSON array of 64 numbers, is not. */
  format: 'keystore-v3' | 'pem' | 'ed25519-pair';
  document: string;
  /** The pair of an `ed25519-pair` in base58. */
  base58?: string;
}
