import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Contract events and the subscriptions to them. */
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
        /** JSON array of event names; null means all events. */
        events: d.text('events'),
        /** Id of the chain's first block; another id means another chain. */
        genesis: d.text('genesis').notNull(),
        /**
         * Read position: all blocks below this height have been read and, of the block at this height, the events up to
         * `eventIndex` or, if that is null, all events.
         */
        height: d.int('height').notNull(),
        /** Hash of the block at `height`; null if the block was not seen. */
        hash: d.text('hash'),
        eventIndex: d.int('event_index'),
        /** ACTIVE, PAUSED, STOPPED. */
        status: d.text('status').notNull(),
        /** Reason, for users, why the subscription was stopped. */
        reason: d.text('reason'),
        /**
         * Number of consecutive failed reads. `failing_since` is the time of the first of them, and `error` the last
         * error; both are null if the last read succeeded.
         */
        failures: d.int('failures').notNull(),
        failingSince: d.int('failing_since'),
        error: d.text('error'),
        /**
         * Number of confirmed blocks that were still unread after the last read. If negative, the number of blocks
         * until the first block to read is confirmed.
         */
        behind: d.int('behind'),
        /** Time since which confirmed blocks have been unread; null if there are none. */
        behindSince: d.int('behind_since'),
        /** The server that reads the subscription, until `ownedUntil`. */
        owner: d.text('owner'),
        ownedUntil: d.int('owned_until').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.index('contract_subscription_project').on(t.projectId, t.uid),
        d.index('contract_subscription_active').on(t.ownedUntil).where(sql`status = 'ACTIVE'`),
      ],
    ),

    /** A contract event that was read. Its timeline record determines its position in the stream of all events. */
    contractEvent: d.table(
      'contract_event',
      {
        uid: d.text('uid').primaryKey(),
        subscriptionUid: d.text('subscription_uid').notNull(),
        /** Uid of the subscription's project; null if the event was stored before bytes were counted. */
        projectUid: d.text('project_uid'),
        /** Id of the event on its ledger. */
        eventId: d.text('event_id').notNull(),
        /** JSON of the event, as clients receive it. */
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
