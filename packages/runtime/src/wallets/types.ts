import type { Secret } from '@ledger-ops/base';
import type { WrittenKey } from '../keys/key-types.ts';

/** A row of table `wallet`. */
export interface WalletRow {
  uid: string;
  projectId: string;
  walletId: string;
  ledgerUid: string;
  ledgerId: string;
  chainId: string;
  address: string;
  material: string | null;
  /** JSON list of other names of the account; null if there are none. */
  aliases: string | null;
  renewAt: number | null;
  /** 1 or 0. */
  exclusive: number;
  /** Key type; null if the plugin of the ledger holds the key and signs. */
  keyType: string | null;
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
   * Whether only this installation signs with the key. Default: true for a new key, false for an imported
   * key.
   */
  exclusive?: boolean;
  /**
   * `walletPassword` is required. `privateKey` imports a key. A secp256k1 key can also be imported with `keystore` and
   * `keystorePassword`. The ledger's plugin may describe further parameters.
   */
  pluginParameters: ReadonlyMap<string, Secret>;
}

export interface WalletView {
  walletId: string;
  walletAddress: string;
  ledgerId: string;
  /** Key type; `remote` if the plugin of the ledger holds the key. */
  keyType: string;
  /**
   * Whether only this installation signs with the key. If so, the wallet is suspended if it has unknown transactions,
   * which are on the ledger but not in the database.
   */
  exclusive: boolean;
  createdAt: number;
}

/** A wallet with data from its ledger. */
export interface WalletDetails extends WalletView {
  /** Balance in native currency; null if the ledger has no native currency. */
  balance: bigint | null;
  /** Other names of the account, such as an `x509::` id. */
  aliases: string[];
  /** The account's certificate in PEM and its expiry in milliseconds since the epoch; null if the account has none. */
  certificate: { pem: string; expiresAt: number } | null;
}

/** A wallet's key in the usual format of its type. */
export interface WalletExport extends WrittenKey {
  /** The key's certificate in PEM, if it has one. */
  certificate?: string;
}
