import type { Dialect } from './dialect.ts';

/** Tables for the storage that tenants use, and its limits. */
export function storageTables(d: Dialect) {
  return {
    /**
     * Usage counters. A counter is updated in the transaction that changes the records that it counts. A missing row is
     * computed when it is first needed.
     */
    storageUsage: d.table(
      'storage_usage',
      {
        /** Uid of an organization, a project or a contract subscription. */
        scope: d.text('scope').notNull(),
        /** Name of the limit. */
        name: d.text('name').notNull(),
        /** Number of records or bytes, depending on the limit. */
        amount: d.int('amount').notNull(),
      },
      (t) => [d.primaryKey(t.scope, t.name)],
    ),

    /** Limits that an administrator changed. */
    storageLimit: d.table(
      'storage_limit',
      {
        /**
         * Uid of an organization, or of the system for the limit of all organizations that have no limit of their own.
         */
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
        most: d.int('most').notNull(),
        /** serviceId of the administrator who changed the limit. */
        updatedBy: d.text('updated_by').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.primaryKey(t.scope, t.name)],
    ),

    /**
     * Number of bytes that a large action adds to its organization's usage until it is removed. For a small action,
     * this number is in the action's row.
     */
    largeAction: d.table('large_action', {
      actionId: d.text('action_id').primaryKey(),
      organizationUid: d.text('organization_uid').notNull(),
      bytes: d.int('bytes').notNull(),
    }),

    /**
     * Number of bytes that the private data of a large action adds to its organization's usage until the action
     * completes.
     */
    privateData: d.table('private_data', {
      actionId: d.text('action_id').primaryKey(),
      organizationUid: d.text('organization_uid').notNull(),
      bytes: d.int('bytes').notNull(),
    }),
  };
}
