import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Webhooks of projects, and their deliveries. */
export function webhookTables(d: Dialect) {
  return {
    webhook: d.table(
      'webhook',
      {
        uid: d.text('uid').primaryKey(),
        projectId: d.text('project_id').notNull(),
        url: d.text('url').notNull(),
        description: d.text('description'),
        /** JSON lists of event types, ledgers and wallets that the webhook gets; null does not restrict the events. */
        types: d.text('types'),
        ledgers: d.text('ledgers'),
        wallets: d.text('wallets'),
        /** standard, cloudevents. */
        format: d.text('format').notNull(),
        /** ENABLED, DISABLED. */
        status: d.text('status').notNull(),
        /** Reason, for users, why the webhook was disabled. */
        reason: d.text('reason'),
        /** The signing secret, encrypted. */
        secret: d.bytes('secret').notNull(),
        /** The previous secret, encrypted. It also signs until `earlierUntil`. Null if there is none. */
        earlierSecret: d.bytes('earlier_secret'),
        earlierUntil: d.int('earlier_until'),
        /** Position in the event stream up to which deliveries were created. */
        place: d.int('place').notNull(),
        /** Time since which every attempt has failed; null if the last attempt succeeded. */
        failingSince: d.int('failing_since'),
        /** The server that processes the webhook, until `ownedUntil`. */
        owner: d.text('owner'),
        ownedUntil: d.int('owned_until').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.index('webhook_project').on(t.projectId, t.uid)],
    ),

    /** Delivery of an event to a webhook. */
    webhookDelivery: d.table(
      'webhook_delivery',
      {
        webhookUid: d.text('webhook_uid').notNull(),
        eventId: d.text('event_id').notNull(),
        /**
         * Position of the event. Events of the same action or subscription (`ordered_by`) are delivered in this order.
         */
        place: d.int('place').notNull(),
        orderedBy: d.text('ordered_by').notNull(),
        /** Id of the action; null if the event does not belong to an action. */
        actionId: d.text('action_id'),
        type: d.text('type').notNull(),
        /**
         * JSON of the event as it is sent. It is a copy, because the event's rows may be deleted before the delivery.
         */
        body: d.text('body').notNull(),
        /** PENDING, DELIVERED, DEAD. */
        status: d.text('status').notNull(),
        attempts: d.int('attempts').notNull(),
        /** Time of the next attempt. */
        dueAt: d.int('due_at').notNull(),
        /** Time at which the delivery is given up. */
        expiresAt: d.int('expires_at').notNull(),
        lastAt: d.int('last_at'),
        /** HTTP status of the last response; null if there was no response. */
        lastStatus: d.int('last_status'),
        /** Error message of the last failed attempt. */
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
