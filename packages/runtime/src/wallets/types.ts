import type { Principal } from '@ledger-ops/auth';
import type { Paging, Secret } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { WrittenKey } from '../keys/written-key.ts';
import type { Page } from '../page.ts';

/** A wallet as stored, in the database's own columns (table `wallet`). */
export interface WalletRow {
  uid: string;
  projectId: string;
  walletId: string;
  ledgerUid: string;
  ledgerId: string;
  chainId: string;
  address: string;
  material: string | null;
  /** JSON array. */
  aliases: string | null;
  renewAt: number | null;
  keyType: string;
  publicKey: Uint8Array;
  sealedSecret: Uint8Array;
  sealedDataKey: Uint8Array;
  kdf: string;
  keyVersion: number;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

export interface CreateWalletRequest {
  walletId: string;
  ledgerId: string;
  /**
   * `walletPassword` is required. A key is imported with `privateKey`, one of secp256k1 also with `keystore` and
   * `keystorePassword`. Beside these are those that the ledger's plugin describes.
   */
  pluginParameters: ReadonlyMap<string, Secret>;
}

export interface WalletView {
  walletId: string;
  walletAddress: string;
  ledgerId: string;
  keyType: string;
  createdAt: number;
}

/** A wallet with what its ledger knows of it. */
export interface WalletDetails extends WalletView {
  /** In native currency; null where the ledger has none. */
  balance: bigint | null;
  /** Other names of the account, such as an `x509::` id. */
  aliases: string[];
  /** Where the account is a certificate's: it in PEM, and its end in milliseconds since the epoch. */
  certificate: { pem: string; expiresAt: number } | null;
}

/** A wallet's key, as its type is usually written. */
export interface WalletExport extends WrittenKey {
  /** The certificate of the key, in PEM, where it has one. */
  certificate?: string;
}

export interface Wallets {
  create(principal: Principal, request: CreateWalletRequest, claim?: IdempotencyClaim): Promise<WalletView>;
  list(principal: Principal, query: Paging & { ledgerId?: string }): Promise<Page<WalletView>>;
  /** With the balance in the smallest unit. @throws Problem `not-found`, `ledger-unavailable` */
  get(principal: Principal, walletId: string): Promise<WalletDetails>;
  /** V3 keystore (secp256k1) or PEM (p256), encrypted with the password; the pair itself (ed25519). Needs `wallet:export`. */
  export(principal: Principal, walletId: string, password: Secret): Promise<WalletExport>;
  changePassword(principal: Principal, walletId: string, from: Secret, to: Secret): Promise<void>;
  /** The row, when the caller holds the permission on it. @throws Problem `not-found`, `not-permitted` */
  demand(principal: Principal, permission: `wallet:${string}`, walletId: string): Promise<WalletRow>;
}
