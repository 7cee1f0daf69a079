import { hash, type KeyObject } from 'node:crypto';
import { p256KeyObject } from './p256.ts';

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

/** P-256 keys that are in use, by the digests of their bytes. Nothing stays of a key that nobody uses. */
const inUse = new Map<string, Entry>();

/**
 * The key as node:crypto takes it, made once for all actions of a wallet that are being signed at the same time:
 * making it takes longer than two signatures. Keys of the same bytes are the same.
 */
export function shareP256Key(privateKey: Uint8Array): SharedKey {
  const name = hash('sha256', privateKey, 'base64');
  const entry = inUse.get(name) ?? { key: p256KeyObject(privateKey), users: 0 };
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
