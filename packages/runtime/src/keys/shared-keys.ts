import { hash, type KeyObject } from 'node:crypto';
import type { KeyType } from '@ledger-ops/adapter';

/** A key of node:crypto that others may use as well. */
export interface SharedKey {
  readonly key: KeyObject;
  /** To be called once, by whoever took it. */
  release(): void;
}

interface Entry {
  readonly key: KeyObject;
  users: number;
}

/** Keys that are in use, by their type and the digests of their bytes. Nothing stays of a key that nobody uses. */
const inUse = new Map<string, Entry>();

/**
 * The key as node:crypto takes it, made once for all actions of a wallet that are being signed at the same time:
 * making it takes longer than two signatures. Keys of one type and the same bytes are the same.
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

/** How many different keys are in use. */
export function sharedKeys(): number {
  return inUse.size;
}
