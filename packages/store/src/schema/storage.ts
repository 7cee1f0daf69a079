import type { Dialect } from './dialect.ts';

/** Storage usage of tenants, and its limits. */
export function storageTables(d: Dialect) {
  return {
    /**
     * A counter is updated in the same transaction as the records that it counts. A missing row is computed
     * when it is first needed.
     */
    storageUsage: d.table(
      'storage_usage',
      {
        /** Uid of an organization, a project or a contract subscription. */
        scope: d.text('scope').notNull(),
        /** Name of the limit. */
        name: d.text('name').notNull(),
        /** Records or bytes, depending on the limit. */
        amount: d.int('amount').notNull(),
      },
      (t) => [d.primaryKey(t.scope, t.name)],
    ),

    /** Limits that an administrator changed. */
    storageLimit: d.table(
      'storage_limit',
      {
        /**
         * Uid of an organization, or of the system for the limit of all organizations without their own
         * limit.
         */
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
        most: d.int('most').notNull(),
        /** serviceId of the administrator. */
        updatedBy: d.text('updated_by').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.primaryKey(t.scope, t.name)],
    ),

    /**
     * Bytes that a large action adds to its organization's usage, until the action is removed. For a small
     * action, the action's row contains this number.
     */
    largeAction: d.table('large_action', {
      actionId: d.text('action_id').primaryKey(),
      organizationUid: d.text('organization_uid').notNull(),
      bytes: d.int('bytes').notNull(),
    }),

    /** Bytes that the private data of a large action adds to its organization's usage, until the action is completed. */
    privateData: d.table('private_data', {
      actionId: d.text('action_id').primaryKey(),
      organizationUid: d.text('organization_uid').notNull(),
      bytes: d.int('bytes').notNull(),
    }),
  };
}
