import type { SigningRequest, WalletIdentity } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import type { Secret } from '@ledger-ops/base';
import type { WalletRow } from '../wallets/types.ts';

/** A wallet's key while it is needed. Never serialised, never handed to an adapter. */
export interface WalletKey {
  /** Signatures in the order of the requests. @throws when a curve is not the key's, or it is asked for another's. */
  sign(requests: readonly SigningRequest[]): Uint8Array[];
  /** Overwrites the key bytes. */
  destroy(): void;
  /** Of an operation that other wallets sign too: the keys that it consists of. */
  readonly parts?: { readonly own: WalletKey; readonly others: readonly OtherKey[] };
}

/** A wallet that an operation names beside the sender's, with its key. */
export interface OtherKey {
  readonly walletUid: string;
  readonly wallet: WalletIdentity;
  readonly key: WalletKey;
}

/** A grant is bound to it: it opens for nothing else. */
export interface GrantBinding {
  actionId: string;
  walletUid: string;
  ledgerUid: string;
  /** Canonical operation text; its SHA-256 is bound. */
  operation: string;
  /** Once it is signed: it signs at this sequence alone. */
  sequence?: number;
  /** Of a wallet beside the sender's: its account as the adapter is told of it. */
  other?: WalletIdentity;
}

/** Who shows a wallet's password, after it was found that it may. */
export type PasswordCaller = Pick<Principal, 'serviceId' | 'appId' | 'projectUid' | 'organizationUid'>;

export interface Vault {
  /**
   * Checks the password and opens the wallet's key. Wrong passwords are throttled per identity and wallet, and per
   * wallet, and stand in the timeline.
   * @throws Problem `wrong-wallet-password`, `too-many-requests`
   */
  unlock(wallet: WalletRow, password: Secret, caller: PasswordCaller): Promise<WalletKey>;
  sealGrant(key: WalletKey, binding: GrantBinding): Uint8Array;
  /** @throws SealError when anything of the binding differs. */
  openGrant(sealed: Uint8Array, keyType: string, binding: GrantBinding): WalletKey;
  /** Seals what stands beside a grant: the part of a plan that is not stored in the clear. */
  sealText(text: string, binding: GrantBinding): Uint8Array;
  /** @throws SealError when anything of the binding differs. */
  openText(sealed: Uint8Array, binding: GrantBinding): string;
}
