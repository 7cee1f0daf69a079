import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Where events of projects are sent. */
export function webhookTables(d: Dialect) {
  return {
    webhook: d.table(
      'webhook',
      {
        uid: d.text('uid').primaryKey(),
        projectId: d.text('project_id').notNull(),
        url: d.text('url').notNull(),
        description: d.text('description'),
        /** JSON lists; null: all. */
        types: d.text('types'),
        ledgers: d.text('ledgers'),
        wallets: d.text('wallets'),
        /** standard, cloudevents. */
        format: d.text('format').notNull(),
        /** ENABLED, DISABLED. */
        status: d.text('status').notNull(),
        /** Why it was disabled, for people. */
        reason: d.text('reason'),
        /** The signing secret, sealed. */
        secret: d.bytes('secret').notNull(),
        /** The one before, sealed, which signs beside it until then; null: none. */
        earlierSecret: d.bytes('earlier_secret'),
        earlierUntil: d.int('earlier_until'),
        /** The place in the stream of events up to which they are deliveries. */
        place: d.int('place').notNull(),
        /** Since when no delivery has succeeded although some were tried; null: the last one did. */
        failingSince: d.int('failing_since'),
        /** The server that works on it, until then. */
        owner: d.text('owner'),
        ownedUntil: d.int('owned_until').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.index('webhook_project').on(t.projectId, t.uid)],
    ),

    /** An event on its way to a webhook. */
    webhookDelivery: d.table(
      'webhook_delivery',
      {
        webhookUid: d.text('webhook_uid').notNull(),
        eventId: d.text('event_id').notNull(),
        /** Of the event: the order in which those of one action or subscription (`ordered_by`) are delivered. */
        place: d.int('place').notNull(),
        orderedBy: d.text('ordered_by').notNull(),
        /** Null: of no action. */
        actionId: d.text('action_id'),
        type: d.text('type').notNull(),
        /** The event as it is sent, JSON: its rows may be forgotten before it is delivered. */
        body: d.text('body').notNull(),
        /** PENDING, DELIVERED, DEAD. */
        status: d.text('status').notNull(),
        attempts: d.int('attempts').notNull(),
        /** When it is tried next. */
        dueAt: d.int('due_at').notNull(),
        /** When it is given up. */
        expiresAt: d.int('expires_at').notNull(),
        lastAt: d.int('last_at'),
        /** HTTP status of the last answer; null: there was none. */
        lastStatus: d.int('last_status'),
        /** Why the last try failed, in words of ours. */
        lastError: d.text('last_error'),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.primaryKey(t.webhookUid, t.eventId),
        d.index('webhook_delivery_due').on(t.webhookUid, t.dueAt).where(sql`status = 'PENDING'`),
        d
          .index('webhook_delivery_order')
          .on(t.webhookUid, t.orderedBy, t.place)
          .where(sql`status = 'PENDING'`),
        d.index('webhook_delivery_listed').on(t.webhookUid, t.status, t.place),
        d.index('webhook_delivery_dead').on(t.webhookUid, t.place).where(sql`status = 'DEAD'`),
        d.index('webhook_delivery_age').on(t.createdAt),
      ],
    ),
  };
}
