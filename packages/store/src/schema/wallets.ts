import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Custodial wallets. A wallet's secret can only be unsealed with its password or, for remote custody, the server's key. */
export function walletTables(d: Dialect) {
  /** Columns that identify the wallet. */
  const place = () => ({
    uid: d.text('uid').primaryKey(),
    projectId: d.text('project_id').notNull(),
    walletId: d.text('wallet_id').notNull(),
    ledgerUid: d.text('ledger_uid').notNull(),
  });
  /** The wallet's key, and who created it. */
  const key = () => ({
    keyType: d.text('key_type').notNull(),
    publicKey: d.bytes('public_key').notNull(),
    /** Wallet secret, sealed by the data key. */
    sealedSecret: d.bytes('sealed_secret').notNull(),
    /** Data key, encrypted with a key that is derived from the password. */
    sealedDataKey: d.bytes('sealed_data_key').notNull(),
    /** Parameters of the key derivation, JSON. */
    kdf: d.text('kdf').notNull(),
    /** Increases with each password change. */
    keyVersion: d.int('key_version').notNull(),
    createdBy: d.text('created_by').notNull(),
    createdAt: d.int('created_at').notNull(),
  });

  return {
    wallet: d.table(
      'wallet',
      {
        /** Uid of the wallet and of its resource. */
        ...place(),
        ledgerId: d.text('ledger_id').notNull(),
        /**
         * Chain id without genesis, because an account continues to exist after the reset of a development
         * chain.
         */
        chainId: d.text('chain_id').notNull(),
        address: d.text('address').notNull(),
        /** Public data of the adapter, JSON. */
        material: d.text('material'),
        /** Other names of the account on its ledger, JSON array. */
        aliases: d.text('aliases'),
        /** Time from which the adapter requests a renewal of the material. */
        renewAt: d.int('renew_at'),
        /**
         * 1 if only this installation signs with the key, so the database must contain every transaction of
         * the account.
         */
        exclusive: d.int('exclusive').notNull().default(0),
        ...key(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('wallet_project_id').on(t.projectId, t.walletId),
        d.index('wallet_address').on(t.chainId, t.address),
        // For case-insensitive searches.
        d.index('wallet_search_id').on(t.projectId, sql`lower(wallet_id)`),
        d.index('wallet_search_address').on(t.projectId, sql`lower(address)`),
      ],
    ),

    /**
     * Keys of wallets whose account is still being created on the ledger. The key is stored before the
     * request, because the account is useless without it. Drafts cannot be used; they are deleted when the
     * wallet is created, or after a day.
     */
    walletDraft: d.table('wallet_draft', { ...place(), ...key() }, (t) => [
      d.uniqueIndex('wallet_draft_project_id').on(t.projectId, t.walletId),
      d.index('wallet_draft_created').on(t.createdAt),
    ]),

    /**
     * Wrong passwords, shared by all servers. The key is caller and wallet for the count of a caller, and the
     * wallet's uid for the count of a wallet.
     */
    walletThrottle: d.table(
      'wallet_throttle',
      {
        key: d.text('key').primaryKey(),
        /** Row of a caller: number of recent wrong passwords. */
        points: d.int('points').notNull(),
        /** Row of a caller: when the caller may try again. Row of a wallet: when all counted failures will have expired. */
        blockedUntil: d.int('blocked_until').notNull(),
        /** When the caller last entered the correct password. */
        rightAt: d.int('right_at'),
        /** The row has no effect after this time. */
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [d.index('wallet_throttle_expires').on(t.expiresAt)],
    ),
  };
}
