import { createHmac, createSecretKey, hash, randomBytes } from 'node:crypto';
import { normalPassword, SealError, type Secret, seal, unseal } from '@ledger-ops/base';
import type { WalletRow } from '../wallets/types.ts';
import { boundTo } from './wallet-binding.ts';

/** Time in milliseconds after its last use during which an entry can be used. */
const age = 300_000;

/**
 * The data key and the secret of a wallet, encrypted. Only the wallet's password can open them, and only until the
 * server restarts.
 */
export interface CacheEntry {
  readonly keyVersion: number;
  readonly sealed: Uint8Array;
  expiresAt: number;
}

/** The key of an entry: 32 bytes derived from the server's boot key, the wallet and the password. */
export type CacheKey = Uint8Array;

/**
 * Caches opened wallets. The content of the cache is not enough to open a wallet: the password is needed too.
 * `#entries` is ordered by last use, oldest first. Adding an entry evicts expired entries and those beyond the
 * capacity.
 */
export class UnlockCache {
  readonly #now: () => number;
  readonly #capacity: number;
  readonly #bootKey = createSecretKey(randomBytes(32));
  readonly #entries = new Map<string, CacheEntry>();

  /** @param capacity maximum number of entries; the least recently used one is evicted first */
  constructor(now: () => number, capacity = 50_000) {
    this.#now = now;
    this.#capacity = capacity;
  }

  keyFor(wallet: WalletRow, password: Secret): CacheKey {
    // HKDF-Expand, one block (RFC 5869, section 2.3); HKDF-Extract is not needed, because the boot key is random.
    return createHmac('sha256', this.#bootKey)
      .update(`wallet cache\0${wallet.uid}\0${normalPassword(password)}\x01`)
      .digest();
  }

  /** Returns an identifier of a wallet and password that reveals neither of them. */
  tagOf(key: CacheKey): string {
    return hash('sha256', key, 'base64');
  }

  seal(wallet: WalletRow, key: CacheKey, opened: Uint8Array): CacheEntry {
    const sealed = seal(key, opened, entryBound(wallet));
    return { keyVersion: wallet.keyVersion, sealed, expiresAt: this.#now() + age };
  }

  put(wallet: WalletRow, entry: CacheEntry): void {
    this.#entries.delete(wallet.uid);
    this.#entries.set(wallet.uid, entry);
    this.#evict();
  }

  /**
   * Returns the content of the entry, which the caller must overwrite. Returns null if there is no entry, if it has
   * expired, or if the password or key version differs.
   */
  get(wallet: WalletRow, key: CacheKey): Uint8Array | null {
    const entry = this.#entries.get(wallet.uid);
    if (entry === undefined) return null;
    const at = this.#now();
    if (entry.keyVersion !== wallet.keyVersion || entry.expiresAt <= at) {
      this.#entries.delete(wallet.uid);
      return null;
    }
    const opened = this.open(wallet, entry, key);
    if (opened === null) return null;
    entry.expiresAt = at + age;
    this.#entries.delete(wallet.uid);
    this.#entries.set(wallet.uid, entry);
    return opened;
  }

  /** Opens an entry even if it was evicted in the meantime. */
  open(wallet: WalletRow, entry: CacheEntry, key: CacheKey): Uint8Array | null {
    try {
      return unseal(key, entry.sealed, entryBound(wallet));
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    }
  }

  #evict(): void {
    const at = this.#now();
    for (const [uid, { expiresAt }] of this.#entries) {
      if (expiresAt > at && this.#entries.size <= this.#capacity) return;
      this.#entries.delete(uid);
    }
  }
}

/**
 * Returns what an entry is bound to. This includes the sealed secret, so that the cached keys cannot open a row that
 * was changed from outside.
 */
function entryBound(wallet: WalletRow): string {
  return boundTo(
    'wallet cache',
    wallet,
    wallet.keyVersion,
    Buffer.from(wallet.sealedSecret).toString('base64'),
  );
}
