import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Events of contracts, and who is subscribed to them. */
export function contractEventTables(d: Dialect) {
  return {
    contractSubscription: d.table(
      'contract_subscription',
      {
        uid: d.text('uid').primaryKey(),
        projectId: d.text('project_id').notNull(),
        contractUid: d.text('contract_uid').notNull(),
        contractId: d.text('contract_id').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        /** JSON list of names; null: all. */
        events: d.text('events'),
        /** First block of the chain that is read: with another one it is another chain. */
        genesis: d.text('genesis').notNull(),
        /** All of the blocks below was read, and of this one the first events, or, where the index is null, all. */
        height: d.int('height').notNull(),
        /** Null: the block was not seen. */
        hash: d.text('hash'),
        eventIndex: d.int('event_index'),
        /** ACTIVE, PAUSED, STOPPED. */
        status: d.text('status').notNull(),
        /** Why it was stopped, for people. */
        reason: d.text('reason'),
        /** Readings in a row that failed, since when, and how the last one did; null: none. */
        failures: d.int('failures').notNull(),
        failingSince: d.int('failing_since'),
        error: d.text('error'),
        /** Blocks at depth that were not looked through at the last reading; below 0: those that are missing before the first. */
        behind: d.int('behind'),
        /** Since when there were any; null: there were none. */
        behindSince: d.int('behind_since'),
        /** The server that reads it, until then. */
        owner: d.text('owner'),
        ownedUntil: d.int('owned_until').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.index('contract_subscription_project').on(t.projectId, t.uid),
        d.index('contract_subscription_active').on(t.ownedUntil).where(sql`status = 'ACTIVE'`),
      ],
    ),

    /** An event that was read; its record in the timeline names it, and gives it its place among all events. */
    contractEvent: d.table(
      'contract_event',
      {
        uid: d.text('uid').primaryKey(),
        subscriptionUid: d.text('subscription_uid').notNull(),
        /** Its own on the ledger. */
        eventId: d.text('event_id').notNull(),
        /** JSON, as it is told. */
        data: d.text('data').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('contract_event_once').on(t.subscriptionUid, t.eventId),
        d.index('contract_event_age').on(t.createdAt),
      ],
    ),
  };
}
