import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/**
 * Custodial wallets. A wallet's secret can be decrypted only with its password or, for remote custody, with the
 * server's key.
 */
export function walletTables(d: Dialect) {
  /** Columns that identify the wallet. `uid` is also the uid of the wallet's resource. */
  const place = () => ({
    uid: d.text('uid').primaryKey(),
    projectId: d.text('project_id').notNull(),
    walletId: d.text('wallet_id').notNull(),
    ledgerUid: d.text('ledger_uid').notNull(),
  });
  /** The wallet's key, and the caller that created it. */
  const key = () => ({
    keyType: d.text('key_type').notNull(),
    publicKey: d.bytes('public_key').notNull(),
    /** The wallet's secret, encrypted with the data key. */
    sealedSecret: d.bytes('sealed_secret').notNull(),
    /** The data key, encrypted with a key that is derived from the password. */
    sealedDataKey: d.bytes('sealed_data_key').notNull(),
    /** JSON of the parameters of the key derivation. */
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
        ...place(),
        ledgerId: d.text('ledger_id').notNull(),
        /**
         * Chain id without genesis, because an account continues to exist after the reset of a development
         * chain.
         */
        chainId: d.text('chain_id').notNull(),
        address: d.text('address').notNull(),
        /** JSON of public data that the adapter needs, such as a certificate. */
        material: d.text('material'),
        /** JSON list of other names of the account on its ledger. */
        aliases: d.text('aliases'),
        /** After this time, the host calls the adapter's `renewWallet`. Set by the adapter; null if nothing expires. */
        renewAt: d.int('renew_at'),
        /**
         * 1 if only this installation signs with the key, so that the database must contain every transaction of the
         * account.
         */
        exclusive: d.int('exclusive').notNull().default(0),
        ...key(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('wallet_project_id').on(t.projectId, t.walletId),
        d.index('wallet_address').on(t.chainId, t.address),
        // Indexes for case-insensitive searches.
        d.index('wallet_search_id').on(t.projectId, sql`lower(wallet_id)`),
        d.index('wallet_search_address').on(t.projectId, sql`lower(address)`),
      ],
    ),

    /**
     * Keys of wallets whose accounts are still being created on the ledger. A key is stored before the ledger is
     * called, because the account is useless without it. A draft cannot be used like a wallet. It is deleted when the
     * wallet is created, or after a day.
     */
    walletDraft: d.table('wallet_draft', { ...place(), ...key() }, (t) => [
      d.uniqueIndex('wallet_draft_project_id').on(t.projectId, t.walletId),
      d.index('wallet_draft_created').on(t.createdAt),
    ]),

    /**
     * Counts of wrong passwords, shared by all servers. The key of a caller's row consists of caller and wallet; the
     * key of a wallet's row is the wallet's uid.
     */
    walletThrottle: d.table(
      'wallet_throttle',
      {
        key: d.text('key').primaryKey(),
        /** In a caller's row: the number of recent wrong passwords. */
        points: d.int('points').notNull(),
        /**
         * In a caller's row: when the caller may try again. In a wallet's row: when all counted failures will have
         * expired.
         */
        blockedUntil: d.int('blocked_until').notNull(),
        /** When the caller last entered the correct password. */
        rightAt: d.int('right_at'),
        /** After this time, the row has no effect. */
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [d.index('wallet_throttle_expires').on(t.expiresAt)],
    ),
  };
}
