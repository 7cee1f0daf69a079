/** Key types that the host signs with. `ed25519` signs messages (RFC 8032), the others sign digests. */
export type KeyType = 'secp256k1' | 'p256' | 'ed25519';

/** JSON values. Quantities in them are decimal strings. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };
