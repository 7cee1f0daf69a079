/** Types of keys that the host signs with; `ed25519`: by message (RFC 8032). */
export type KeyType = 'secp256k1' | 'p256' | 'ed25519';

/** JSON values; quantities inside are decimal texts. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };
