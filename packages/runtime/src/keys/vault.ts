import { hash, randomBytes } from 'node:crypto';
import type { WalletIdentity } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
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
import type { Signer } from './signer.ts';
import { Signers } from './signers.ts';
import { Throttle } from './throttle.ts';
import { type CacheEntry, type CacheKey, UnlockCache } from './unlock-cache.ts';
import { boundTo, type WalletBinding } from './wallet-binding.ts';

const dataKeyLength = 32;

/** The values that a grant is bound to. It can be opened only with exactly these values. */
export interface GrantBinding {
  actionId: string;
  walletUid: string;
  ledgerUid: string;
  /** Canonical text of the operation, of which the grant contains the SHA-256 hash. */
  operation: string;
  /** The only nonce that the grant can sign with. Set once the action is signed. */
  sequence?: number;
  /** For the grant of a co-signing wallet: the wallet's account as the adapter receives it. */
  other?: WalletIdentity;
}

/** The caller that supplies a wallet's password. Its permission was already checked. */
export type PasswordCaller = Pick<Principal, 'serviceId' | 'appId' | 'projectUid' | 'organizationUid'>;

/** The sealed columns of a wallet. */
export type SealedWallet = Pick<WalletRow, 'sealedSecret' | 'sealedDataKey' | 'kdf' | 'keyVersion'>;

export interface VaultOptions {
  masterKey: MasterKey;
  store: Store;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
  signers?: Signers;
  random?: (size: number) => Uint8Array;
  /** Queue of key derivations. */
  derivations?: FairQueue;
  /** Cost of new derivations. Wallets with a lower cost are upgraded when they are used. */
  cost?: Argon2Cost;
}

/**
 * Opens wallets with their passwords, and grants with the server's key. A wallet's secret is stored sealed with a
 * random data key, and the data key is stored sealed with a key derived from the password (Argon2id).
 *
 * `#cache` contains the keys of recently opened wallets, sealed with keys that are derived from their passwords.
 * `#deriving` contains derivations in progress by wallet and password, and `#attempting` attempts in progress by
 * wallet, password and caller, to share them.
 */
export class Vault {
  readonly #options: VaultOptions;
  readonly #signers: Signers;
  readonly #random: (size: number) => Uint8Array;
  readonly #cost: Argon2Cost;
  readonly #cache: UnlockCache;
  readonly #throttle: Throttle;
  readonly #derivations: FairQueue;
  readonly #keystores = createFairQueue({ limit: 1 });
  readonly #deriving = new Map<string, Promise<CacheEntry | null>>();
  readonly #attempting = new Map<string, Promise<CacheEntry>>();

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#signers = options.signers ?? new Signers();
    this.#random = options.random ?? randomBytes;
    this.#cost = options.cost ?? currentArgon2Cost;
    this.#cache = new UnlockCache(options.now);
    this.#throttle = new Throttle(options.store, options.now);
    this.#derivations = options.derivations ?? createFairQueue();
  }

  /**
   * Checks the password and returns the wallet's signer, which the caller of this method must destroy. Wrong passwords
   * are throttled per caller and wallet, and per wallet, and are recorded in the timeline.
   * @throws Problem `wrong-wallet-password`, `too-many-requests`
   */
  async unlock(wallet: WalletRow, password: Secret, caller: PasswordCaller): Promise<Signer> {
    const secret = await this.openSecret(wallet, password, caller);
    try {
      return this.#signers.open(wallet.keyType, secret);
    } finally {
      secret.fill(0);
    }
  }

  /** Returns the wallet's secret, which the caller of this method must overwrite. @throws Problem like `unlock` */
  async openSecret(wallet: WalletRow, password: Secret, caller: PasswordCaller): Promise<Uint8Array> {
    const opened = await this.#open(wallet, password, caller);
    try {
      return Uint8Array.from(opened.subarray(dataKeyLength));
    } finally {
      opened.fill(0);
    }
  }

  /** Records that the caller knows the password of a wallet, because it creates the wallet in this transaction. */
  markKnown(tx: Tx, caller: string, walletUid: string): Promise<void> {
    return this.#throttle.markKnown(tx, caller, walletUid);
  }

  /** Seals a new wallet's secret with its password. Does not overwrite the secret. */
  async sealNewWallet(
    secret: Uint8Array,
    password: Secret,
    binding: WalletBinding,
    caller: PasswordCaller,
  ): Promise<SealedWallet> {
    const dataKey = this.#random(dataKeyLength);
    try {
      const sealedSecret = seal(dataKey, secret, secretBound(binding));
      const sealed = await this.#derivations.run(turnOf(caller), () =>
        this.#sealDataKey(dataKey, password, binding, 1),
      );
      return { sealedSecret, ...sealed };
    } finally {
      dataKey.fill(0);
    }
  }

  /**
   * Encrypts the data key with another password. The sealed secret does not change. Store the result only if the row
   * still has the same key version.
   * @throws Problem like `unlock`
   */
  async reseal(
    wallet: WalletRow,
    from: Secret,
    to: Secret,
    caller: PasswordCaller,
  ): Promise<Pick<SealedWallet, 'sealedDataKey' | 'kdf' | 'keyVersion'>> {
    const opened = await this.#open(wallet, from, caller);
    const dataKey = opened.subarray(0, dataKeyLength);
    try {
      return await this.#derivations.run(turnOf(caller), () =>
        this.#sealDataKey(dataKey, to, wallet, wallet.keyVersion + 1),
      );
    } finally {
      opened.fill(0);
    }
  }

  /** Seals the reference of a signer as a grant for an action. */
  sealGrant(signer: Signer, binding: GrantBinding): Uint8Array {
    const reference = signer.reference();
    try {
      return this.#options.masterKey.seal(reference, grantBound(binding));
    } finally {
      reference.fill(0);
    }
  }

  /** @throws SealError if any value of the binding differs */
  openGrant(sealed: Uint8Array, keyType: string | null, binding: GrantBinding): Signer {
    const reference = this.#options.masterKey.open(sealed, grantBound(binding));
    try {
      return this.#signers.open(keyType, reference);
    } finally {
      reference.fill(0);
    }
  }

  /** Encrypts a text that is stored with a grant: the part of a plan that must not be stored in plain text. */
  sealText(text: string, binding: GrantBinding): Uint8Array {
    return this.#options.masterKey.seal(Buffer.from(text), textBound(binding));
  }

  /** @throws SealError if any value of the binding differs */
  openText(sealed: Uint8Array, binding: GrantBinding): string {
    return Buffer.from(this.#options.masterKey.open(sealed, textBound(binding))).toString();
  }

  /**
   * Runs a job that takes much longer than a password check, such as reading a keystore. These jobs have a separate
   * queue and run one at a time.
   * @throws Problem `too-many-requests`
   */
  inTurn<T>(caller: PasswordCaller, job: () => Promise<T>): Promise<T> {
    return this.#keystores.run(turnOf(caller), job);
  }

  async #sealDataKey(dataKey: Uint8Array, password: Secret, binding: WalletBinding, keyVersion: number) {
    const kdf = newArgon2Parameters(this.#cost, this.#random);
    const passwordKey = await derivePasswordKey(password, kdf);
    try {
      const sealedDataKey = seal(passwordKey, dataKey, dataKeyBound(binding, keyVersion));
      return { sealedDataKey, kdf: JSON.stringify(kdf), keyVersion };
    } finally {
      passwordKey.fill(0);
    }
  }

  /**
   * Derives the wallet's keys from the password and returns them sealed for the cache; null if the password is wrong.
   */
  async #derive(wallet: WalletRow, password: Secret, key: CacheKey): Promise<CacheEntry | null> {
    const kdf = readArgon2Parameters(wallet.kdf);
    if (kdf === null) throw this.#damaged(wallet);
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
    let opened: Uint8Array | undefined;
    try {
      opened = this.#openWith(wallet, dataKey);
      const entry = this.#cache.seal(wallet, key, opened);
      this.#cache.put(wallet, entry);
      if (isOutdatedArgon2(kdf, this.#cost)) await this.#upgrade(wallet, dataKey, password);
      return entry;
    } finally {
      dataKey.fill(0);
      opened?.fill(0);
    }
  }

  /** Returns the data key and the secret as one value, so that the cache needs only one decryption for both. */
  #openWith(wallet: WalletRow, dataKey: Uint8Array): Uint8Array {
    let secret: Uint8Array;
    try {
      secret = unseal(dataKey, wallet.sealedSecret, secretBound(wallet));
    } catch (error) {
      throw error instanceof SealError ? this.#damaged(wallet) : error;
    }
    const opened = Buffer.concat([dataKey, secret]);
    secret.fill(0);
    return opened;
  }

  async #upgrade(wallet: WalletRow, dataKey: Uint8Array, password: Secret): Promise<void> {
    try {
      const { sealedDataKey, kdf } = await this.#sealDataKey(dataKey, password, wallet, wallet.keyVersion);
      await this.#options.store.transaction((tx) =>
        tx.run(
          'UPDATE wallet SET sealed_data_key = $1, kdf = $2 WHERE uid = $3 AND key_version = $4 AND kdf = $5',
          [sealedDataKey, kdf, wallet.uid, wallet.keyVersion, wallet.kdf],
        ),
      );
    } catch {
      // The wallet is already open, so a failed upgrade is ignored. The next use retries it.
      this.#options.log('warn', 'vault.upgrade-failed', { walletId: wallet.walletId });
    }
  }

  async #attempt(
    wallet: WalletRow,
    password: Secret,
    caller: PasswordCaller,
    key: CacheKey,
    tag: string,
  ): Promise<CacheEntry> {
    const counted = await this.#throttle.begin(caller.serviceId, wallet.uid);
    let entry: CacheEntry | null;
    try {
      const job = () => this.#derivations.run(turnOf(caller), () => this.#derive(wallet, password, key));
      // Another attempt, of any caller, may have cached the keys in the meantime.
      entry = this.#reopened(wallet, key) ?? (await shared(this.#deriving, tag, job));
    } catch (error) {
      await counted.notMade();
      throw error;
    }
    if (entry !== null) {
      await counted.right();
      return entry;
    }
    try {
      await this.#options.store.transaction((tx) =>
        recordWallet(tx, caller, 'wrong-password', wallet, this.#options.now()),
      );
    } finally {
      counted.wrong();
    }
    const detail = `The password of the wallet ${wallet.walletId} is wrong.`;
    throw new Problem('wrong-wallet-password', detail);
  }

  #reopened(wallet: WalletRow, key: CacheKey): CacheEntry | null {
    const opened = this.#cache.get(wallet, key);
    if (opened === null) return null;
    const entry = this.#cache.seal(wallet, key, opened);
    opened.fill(0);
    return entry;
  }

  /** Returns the wallet's data key and secret, which the caller of this method must overwrite. */
  async #open(wallet: WalletRow, password: Secret, caller: PasswordCaller): Promise<Uint8Array> {
    const key = this.#cache.keyFor(wallet, password);
    if (await this.#throttle.isTrusted(caller.serviceId, wallet.uid)) {
      const known = this.#cache.get(wallet, key);
      if (known !== null) return known;
    }
    // The tag contains values of the row, so that only callers that read the same row share a derivation.
    const tag = `${this.#cache.tagOf(key)} ${wallet.keyVersion} ${hash('sha256', wallet.sealedDataKey, 'base64')}`;
    const entry = await shared(this.#attempting, `${tag} ${caller.serviceId}`, () =>
      this.#attempt(wallet, password, caller, key, tag),
    );
    const opened = this.#cache.open(wallet, entry, key);
    if (opened === null) throw this.#damaged(wallet);
    return opened;
  }

  #damaged(wallet: WalletRow): Problem {
    this.#options.log('error', 'vault.wallet-damaged', {
      walletId: wallet.walletId,
      ledgerId: wallet.ledgerId,
    });
    return new Problem(
      'internal',
      `The record of the wallet ${wallet.walletId} cannot be decrypted: it is damaged or was changed from outside.`,
    );
  }
}

/** The part of the vault that the engine uses. */
export type GrantVault = Pick<Vault, 'sealGrant' | 'openGrant' | 'sealText' | 'openText'>;

/**
 * Path of a caller in the fair queue, which alternates between organizations, then between projects, then between
 * callers.
 */
function turnOf({ organizationUid, projectUid, serviceId }: PasswordCaller): string[] {
  return [organizationUid, projectUid, serviceId];
}

/** Callers with the same key share work in progress. */
async function shared<T>(underWay: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = underWay.get(key);
  if (known !== undefined) return await known;
  const promise = work().finally(() => underWay.delete(key));
  underWay.set(key, promise);
  return await promise;
}

function secretBound(binding: WalletBinding): string {
  return boundTo('wallet secret', binding);
}

function dataKeyBound(binding: WalletBinding, keyVersion: number): string {
  return boundTo('wallet data key', binding, keyVersion);
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
