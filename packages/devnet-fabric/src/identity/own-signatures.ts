/** Signatures that this process made itself, so that it need not check them when they come back in a transaction. */
export interface OwnSignatures {
  add(data: Uint8Array, signature: Uint8Array): void;
  /** Whether exactly this was signed, with exactly this signature. */
  has(data: Uint8Array, signature: Uint8Array): boolean;
}

/** Kept; an older one is checked like anybody's. */
const kept = 2000;

/** None yet. */
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
