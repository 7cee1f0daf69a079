/** Signatures that this process created. They need not be verified when they appear in a transaction. */
export interface OwnSignatures {
  add(data: Uint8Array, signature: Uint8Array): void;
  /** Whether this process created exactly this signature over exactly these bytes. */
  has(data: Uint8Array, signature: Uint8Array): boolean;
}

/** Number of signatures in the cache. Older ones are verified normally. */
const kept = 2000;

/** Creates an empty cache. */
export function createOwnSignatures(): OwnSignatures {
  const made = new Map<string, Uint8Array>();
  return {
    add(data, signature) {
      const oldest = made.size < kept ? undefined : made.keys().next().value;
      if (oldest !== undefined) made.delete(oldest);
      made.set(keyOf(signature), data);
    },
    has(data, signature) {
      const signed = made.get(keyOf(signature));
      return signed !== undefined && Buffer.compare(signed, data) === 0;
    },
  };
}

function keyOf(signature: Uint8Array): string {
  return Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength).toString('latin1');
}
