import { hash, type KeyObject } from 'node:crypto';
import type { KeyType } from '@ledger-ops/adapter';

/** A KeyObject that several signatures share. */
export interface SharedKey {
  readonly key: KeyObject;
  /** Must be called once by each user, after its last use of the key. */
  release(): void;
}

interface Entry {
  readonly key: KeyObject;
  users: number;
}

/** Keys in use, by type and digest of their bytes. Unused keys are removed. */
const inUse = new Map<string, Entry>();

/**
 * Returns a KeyObject that all concurrent signatures of a wallet share, because creating one takes longer
 * than two signatures. Keys with the same type and bytes share one object.
 */
export function shareKey(
  keyType: KeyType,
  privateKey: Uint8Array,
  make: (privateKey: Uint8Array) => KeyObject,
): SharedKey {
  const name = `${keyType} ${hash('sha256', privateKey, 'base64')}`;
  const entry = inUse.get(name) ?? { key: make(privateKey), users: 0 };
  entry.users += 1;
  inUse.set(name, entry);
  return {
    key: entry.key,
    release() {
      entry.users -= 1;
      if (entry.users === 0) inUse.delete(name);
    },
  };
}

/** Number of different keys in use. */
export function sharedKeys(): number {
  return inUse.size;
}
