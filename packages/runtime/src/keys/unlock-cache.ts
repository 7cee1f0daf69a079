import { createHmac, createSecretKey, hash, randomBytes } from 'node:crypto';
import { normalPassword, SealError, type Secret, seal, unseal } from '@ledger-ops/base';
import type { WalletRow } from '../wallets/types.ts';

/** Milliseconds after its last use that an entry opens without a derivation. */
const age = 300_000;

/** A wallet's data key, sealed under a key that only wallet and password give, for this start of the server. */
export interface CacheEntry {
  readonly keyVersion: number;
  readonly sealed: Uint8Array;
  expiresAt: number;
}

/** The key of an entry: 32 bytes from the server's start, the wallet and the password. */
export type CacheKey = Uint8Array;

/** Remembers opened wallets without remembering anything that opens them. */
export interface UnlockCache {
  keyFor(wallet: WalletRow, password: Secret): CacheKey;
  /** A name for the pair of wallet and password, which gives neither away. */
  tagOf(key: CacheKey): string;
  seal(wallet: WalletRow, key: CacheKey, dataKey: Uint8Array): CacheEntry;
  put(wallet: WalletRow, entry: CacheEntry): void;
  /** The data key, or null: another password, another key version, too old, or never seen. */
  get(wallet: WalletRow, key: CacheKey): Uint8Array | null;
  /** Opens an entry that may have left the cache again. */
  open(wallet: WalletRow, entry: CacheEntry, key: CacheKey): Uint8Array | null;
  drop(walletUid: string): void;
}

/** @param capacity entries; the least recently used leave first. */
export function createUnlockCache(now: () => number, capacity = 50_000): UnlockCache {
  const bootKey = createSecretKey(randomBytes(32));
  /** Least recently used, hence first to expire, in front. */
  const entries = new Map<string, CacheEntry>();

  function expel(): void {
    const at = now();
    for (const [uid, { expiresAt }] of entries) {
      if (expiresAt > at && entries.size <= capacity) return;
      entries.delete(uid);
    }
  }

  const cache: UnlockCache = {
    // HKDF-Expand, one block (RFC 5869, section 2.3): the boot key is random, nothing is to be extracted.
    keyFor: (wallet, password) =>
      createHmac('sha256', bootKey)
        .update(`wallet cache\0${wallet.uid}\0${normalPassword(password)}\x01`)
        .digest(),
    tagOf: (key) => hash('sha256', key, 'base64'),
    seal: (wallet, key, dataKey) => ({
      keyVersion: wallet.keyVersion,
      sealed: seal(key, dataKey, boundTo(wallet)),
      expiresAt: now() + age,
    }),
    put(wallet, entry) {
      entries.delete(wallet.uid);
      entries.set(wallet.uid, entry);
      expel();
    },
    get(wallet, key) {
      const entry = entries.get(wallet.uid);
      if (entry === undefined) return null;
      const at = now();
      if (entry.keyVersion !== wallet.keyVersion || entry.expiresAt <= at) {
        entries.delete(wallet.uid);
        return null;
      }
      const dataKey = cache.open(wallet, entry, key);
      if (dataKey === null) return null;
      entry.expiresAt = at + age;
      entries.delete(wallet.uid);
      entries.set(wallet.uid, entry);
      return dataKey;
    },
    open(wallet, entry, key) {
      try {
        return unseal(key, entry.sealed, boundTo(wallet));
      } catch (error) {
        if (error instanceof SealError) return null;
        throw error;
      }
    },
    drop(walletUid) {
      entries.delete(walletUid);
    },
  };
  return cache;
}

function boundTo({ uid, keyVersion }: WalletRow): string {
  return `wallet cache ${uid} ${keyVersion}`;
}
