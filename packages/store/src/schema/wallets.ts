import type { Dialect } from './dialect.ts';

/** Custodial wallets. Nothing here opens without the wallet's password or, for remote custody, the server's key. */
export function walletTables(d: Dialect) {
  /** Which wallet it is. */
  const place = () => ({
    uid: d.text('uid').primaryKey(),
    projectId: d.text('project_id').notNull(),
    walletId: d.text('wallet_id').notNull(),
    ledgerUid: d.text('ledger_uid').notNull(),
  });
  /** Its key, and who made it. */
  const key = () => ({
    keyType: d.text('key_type').notNull(),
    publicKey: d.bytes('public_key').notNull(),
    /** Wallet secret, sealed by the data key. */
    sealedSecret: d.bytes('sealed_secret').notNull(),
    /** Data key, sealed by a key from the password. */
    sealedDataKey: d.bytes('sealed_data_key').notNull(),
    /** Parameters of the derivation, JSON. */
    kdf: d.text('kdf').notNull(),
    /** Grows with each change of password. */
    keyVersion: d.int('key_version').notNull(),
    createdBy: d.text('created_by').notNull(),
    createdAt: d.int('created_at').notNull(),
  });

  return {
    wallet: d.table(
      'wallet',
      {
        /** Its uid is also the id of its resource. */
        ...place(),
        ledgerId: d.text('ledger_id').notNull(),
        /** Chain id without genesis: an account outlives a development chain's reset. */
        chainId: d.text('chain_id').notNull(),
        address: d.text('address').notNull(),
        /** Public material of the adapter, JSON. */
        material: d.text('material'),
        /** Other names of the account on its ledger, JSON array. */
        aliases: d.text('aliases'),
        /** From then on the adapter wants its material renewed. */
        renewAt: d.int('renew_at'),
        ...key(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('wallet_project_id').on(t.projectId, t.walletId),
        d.index('wallet_address').on(t.chainId, t.address),
      ],
    ),

    /**
     * Keys of wallets whose ledger is still being asked for the account. Stored before it is asked: what it grants is
     * of use only with the key. Not usable; gone with the wallet's creation, or after a day.
     */
    walletDraft: d.table('wallet_draft', { ...place(), ...key() }, (t) => [
      d.uniqueIndex('wallet_draft_project_id').on(t.projectId, t.walletId),
      d.index('wallet_draft_created').on(t.createdAt),
    ]),

    /** Wrong passwords, per caller and wallet (key: both) and per wallet (key: its uid); shared by all servers. */
    walletThrottle: d.table(
      'wallet_throttle',
      {
        key: d.text('key').primaryKey(),
        /** Of a caller: how many. */
        points: d.int('points').notNull(),
        /** Of a caller: the end of its wait. Of a wallet: when all that is counted will have run out. */
        blockedUntil: d.int('blocked_until').notNull(),
        /** When the caller last showed the right one. */
        rightAt: d.int('right_at'),
        /** From then on the row says nothing. */
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [d.index('wallet_throttle_expires').on(t.expiresAt)],
    ),
  };
}
