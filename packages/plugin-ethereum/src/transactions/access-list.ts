/** Addresses and storage keys that a transaction declares (EIP-2930). */
export type AccessList = { address: string; storageKeys: string[] }[];
