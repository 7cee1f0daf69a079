export type KeyType = 'secp256k1' | 'p256';

/** JSON values; quantities inside are decimal texts. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export type JsonObject = { [name: string]: Json };
