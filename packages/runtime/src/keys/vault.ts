import { hash, randomBytes } from 'node:crypto';
import {
  type Argon2Cost,
  createFairQueue,
  currentArgon2Cost,
  derivePasswordKey,
  type FairQueue,
  isOutdatedArgon2,
  type MasterKey,
  newArgon2Parameters,
  Problem,
  readArgon2Parameters,
  SealError,
  type Secret,
  seal,
  unseal,
} from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import type { Log } from '../log.ts';
import { recordWallet } from '../wallets/record-wallet.ts';
import type { WalletRow } from '../wallets/types.ts';
import { createSigners, type Signers } from './signers.ts';
import { createThrottle } from './throttle.ts';
import type { GrantBinding, PasswordCaller, Vault } from './types.ts';
import { type CacheEntry, type CacheKey, createUnlockCache } from './unlock-cache.ts';

/** A wallet's sealed columns are bound to it: they open in no other row, and not beside another key or address. */
export type WalletBinding = Pick<WalletRow, 'uid' | 'ledgerUid' | 'keyType' | 'publicKey' | 'address'>;

/** The sealed columns of a wallet. */
export type SealedWallet = Pick<WalletRow, 'sealedSecret' | 'sealedDataKey' | 'kdf' | 'keyVersion'>;

/** The vault as the wallet service sees it. */
export interface WalletVault extends Vault {
  /** Seals a new wallet's secret under its password. The secret is not overwritten. */
  sealNewWallet(
    secret: Uint8Array,
    password: Secret,
    binding: WalletBinding,
    caller: PasswordCaller,
  ): Promise<SealedWallet>;
  /** That the caller has the password of a wallet that it makes in this transaction. */
  know(tx: Tx, caller: string, walletUid: string): Promise<void>;
  /**
   * Seals the data key under another password; the secret stays as it is. To be written where the row still has
   * the former key version.
   * @throws Problem as `unlock`
   */
  reseal(
    wallet: WalletRow,
    from: Secret,
    to: Secret,
    caller: PasswordCaller,
  ): Promise<Pick<SealedWallet, 'sealedDataKey' | 'kdf' | 'keyVersion'>>;
  /** The wallet's secret itself, which the caller overwrites. @throws Problem as `unlock` */
  openSecret(wallet: WalletRow, password: Secret, caller: PasswordCaller): Promise<Uint8Array>;
  /**
   * Runs what takes much longer than a password (keystores) in turns of their own, one at a time.
   * @throws Problem `too-many-requests`
   */
  inTurn<T>(caller: PasswordCaller, job: () => Promise<T>): Promise<T>;
}

export interface VaultOptions {
  masterKey: MasterKey;
  store: Store;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
  signers?: Signers;
  random?: (size: number) => Uint8Array;
  /** Whose turn it is to derive. */
  derivations?: FairQueue;
  /** Cost of new derivations; cheaper ones are upgraded when they are used. */
  cost?: Argon2Cost;
}

/**
 * Opens wallets with their passwords, and grants with the server's key. What is at rest: the secret under a
 * random data key, the data key under a key from the password (Argon2id).
 */
export function createVault(options: VaultOptions): WalletVault {
  const { masterKey, store, now, log } = options;
  const signers = options.signers ?? createSigners();
  const random = options.random ?? randomBytes;
  const cost = options.cost ?? currentArgon2Cost;
  const cache = createUnlockCache(now);
  const throttle = createThrottle(store, now);
  const derivations = options.derivations ?? createFairQueue();
  const keystores = createFairQueue({ limit: 1 });
  /** Derivations under way, by wallet and password; and attempts, by caller besides. */
  const deriving = new Map<string, Promise<CacheEntry | null>>();
  const attempting = new Map<string, Promise<CacheEntry>>();

  async function sealDataKey(
    dataKey: Uint8Array,
    password: Secret,
    binding: WalletBinding,
    keyVersion: number,
  ) {
    const kdf = newArgon2Parameters(cost, random);
    const passwordKey = await derivePasswordKey(password, kdf);
    try {
      const sealedDataKey = seal(passwordKey, dataKey, dataKeyBound(binding, keyVersion));
      return { sealedDataKey, kdf: JSON.stringify(kdf), keyVersion };
    } finally {
      passwordKey.fill(0);
    }
  }

  /** The data key sealed for the cache; null when the password is wrong. */
  async function derive(wallet: WalletRow, password: Secret, key: CacheKey): Promise<CacheEntry | null> {
    const kdf = readArgon2Parameters(wallet.kdf);
    if (kdf === null) throw damaged(wallet);
    const passwordKey = await derivePasswordKey(password, kdf);
    let dataKey: Uint8Array;
    try {
      dataKey = unseal(passwordKey, wallet.sealedDataKey, dataKeyBound(wallet, wallet.keyVersion));
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    } finally {
      passwordKey.fill(0);
    }
    try {
      const entry = cache.seal(wallet, key, dataKey);
      cache.put(wallet, entry);
      if (isOutdatedArgon2(kdf, cost)) await upgrade(wallet, dataKey, password);
      return entry;
    } finally {
      dataKey.fill(0);
    }
  }

  async function upgrade(wallet: WalletRow, dataKey: Uint8Array, password: Secret): Promise<void> {
    try {
      const { sealedDataKey, kdf } = await sealDataKey(dataKey, password, wallet, wallet.keyVersion);
      await store.transaction((tx) =>
        tx.run(
          'UPDATE wallet SET sealed_data_key = $1, kdf = $2 WHERE uid = $3 AND key_version = $4 AND kdf = $5',
          [sealedDataKey, kdf, wallet.uid, wallet.keyVersion, wallet.kdf],
        ),
      );
    } catch {
      // The wallet is open all the same; the next use tries again.
      log('warn', 'vault.upgrade-failed', { walletId: wallet.walletId });
    }
  }

  async function attempt(
    wallet: WalletRow,
    password: Secret,
    caller: PasswordCaller,
    key: CacheKey,
    tag: string,
  ): Promise<CacheEntry> {
    const counted = await throttle.begin(caller.serviceId, wallet.uid);
    let entry: CacheEntry | null;
    try {
      const job = () => derivations.run(turnOf(caller), () => derive(wallet, password, key));
      // It may be in memory, of this caller or another.
      entry = reopened(wallet, key) ?? (await shared(deriving, tag, job));
    } catch (error) {
      await counted.notMade();
      throw error;
    }
    if (entry !== null) {
      await counted.right();
      return entry;
    }
    try {
      await store.transaction((tx) => recordWallet(tx, caller, 'wrong-password', wallet, now()));
    } finally {
      counted.wrong();
    }
    const detail = `This is not the password of the wallet ${wallet.walletId}.`;
    throw new Problem('wrong-wallet-password', detail);
  }

  function reopened(wallet: WalletRow, key: CacheKey): CacheEntry | null {
    const dataKey = cache.get(wallet, key);
    if (dataKey === null) return null;
    const entry = cache.seal(wallet, key, dataKey);
    dataKey.fill(0);
    return entry;
  }

  async function openDataKey(
    wallet: WalletRow,
    password: Secret,
    caller: PasswordCaller,
  ): Promise<Uint8Array> {
    const key = cache.keyFor(wallet, password);
    if (await throttle.isTrusted(caller.serviceId, wallet.uid)) {
      const known = cache.get(wallet, key);
      if (known !== null) return known;
    }
    // The row's own columns count: whoever shares a derivation has read the same ones.
    const tag = `${cache.tagOf(key)} ${wallet.keyVersion} ${hash('sha256', wallet.sealedDataKey, 'base64')}`;
    const entry = await shared(attempting, `${tag} ${caller.serviceId}`, () =>
      attempt(wallet, password, caller, key, tag),
    );
    const dataKey = cache.open(wallet, entry, key);
    if (dataKey === null) throw damaged(wallet);
    return dataKey;
  }

  async function openSecret(
    wallet: WalletRow,
    password: Secret,
    caller: PasswordCaller,
  ): Promise<Uint8Array> {
    const dataKey = await openDataKey(wallet, password, caller);
    try {
      return unseal(dataKey, wallet.sealedSecret, secretBound(wallet));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      cache.drop(wallet.uid);
      throw damaged(wallet);
    } finally {
      dataKey.fill(0);
    }
  }

  function damaged(wallet: WalletRow): Problem {
    log('error', 'vault.wallet-damaged', { walletId: wallet.walletId, ledgerId: wallet.ledgerId });
    return new Problem(
      'internal',
      `The record of the wallet ${wallet.walletId} is damaged or was changed from outside: it does not open.`,
    );
  }

  return {
    async unlock(wallet, password, caller) {
      const secret = await openSecret(wallet, password, caller);
      try {
        return signers.open(wallet.keyType, secret);
      } finally {
        secret.fill(0);
      }
    },
    openSecret,
    know: throttle.know,
    async sealNewWallet(secret, password, binding, caller) {
      const dataKey = random(32);
      try {
        const sealedSecret = seal(dataKey, secret, secretBound(binding));
        const sealed = await derivations.run(turnOf(caller), () =>
          sealDataKey(dataKey, password, binding, 1),
        );
        return { sealedSecret, ...sealed };
      } finally {
        dataKey.fill(0);
      }
    },
    async reseal(wallet, from, to, caller) {
      const dataKey = await openDataKey(wallet, from, caller);
      try {
        return await derivations.run(turnOf(caller), () =>
          sealDataKey(dataKey, to, wallet, wallet.keyVersion + 1),
        );
      } finally {
        dataKey.fill(0);
      }
    },
    sealGrant(key, binding) {
      const secret = signers.reveal(key);
      try {
        return masterKey.seal(secret, grantBound(binding));
      } finally {
        secret.fill(0);
      }
    },
    openGrant(sealed, keyType, binding) {
      const secret = masterKey.open(sealed, grantBound(binding));
      try {
        return signers.open(keyType, secret);
      } finally {
        secret.fill(0);
      }
    },
    sealText: (text, binding) => masterKey.seal(Buffer.from(text), textBound(binding)),
    openText: (sealed, binding) => Buffer.from(masterKey.open(sealed, textBound(binding))).toString(),
    inTurn: (caller, job) => keystores.run(turnOf(caller), job),
  };
}

/** Organizations take turns, in them projects, there callers. */
function turnOf({ organizationUid, projectUid, serviceId }: PasswordCaller): string[] {
  return [organizationUid, projectUid, serviceId];
}

/** Whoever asks for what is under way already waits for that. */
async function shared<T>(underWay: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = underWay.get(key);
  if (known !== undefined) return await known;
  const promise = work().finally(() => underWay.delete(key));
  underWay.set(key, promise);
  return await promise;
}

// JSON arrays: no two different lists of values give the same text.
function boundTo(purpose: string, { uid, ledgerUid, keyType, publicKey, address }: WalletBinding) {
  return [purpose, uid, ledgerUid, keyType, Buffer.from(publicKey).toString('base64'), address];
}

function secretBound(binding: WalletBinding): string {
  return JSON.stringify(boundTo('wallet secret', binding));
}

function dataKeyBound(binding: WalletBinding, keyVersion: number): string {
  return JSON.stringify([...boundTo('wallet data key', binding), keyVersion]);
}

function grantBound(binding: GrantBinding): string {
  return JSON.stringify(boundToAction('grant', binding));
}

function textBound(binding: GrantBinding): string {
  return JSON.stringify(boundToAction('grant text', binding));
}

function boundToAction(purpose: string, binding: GrantBinding) {
  const { actionId, walletUid, ledgerUid, operation, sequence, other } = binding;
  const bound = [purpose, actionId, walletUid, ledgerUid, hash('sha256', operation, 'hex')];
  if (other !== undefined) return [...bound, { other }];
  return sequence === undefined ? bound : [...bound, sequence];
}
