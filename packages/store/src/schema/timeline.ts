import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Activities on resources, one row per change. */
export function timelineTables(d: Dialect) {
  return {
    /**
     * Activities as they come from where many are written each second: one row for each transaction, and no index.
     * Whoever reads the timeline first makes them rows of it.
     */
    timelineBundle: d.table('timeline_bundle', {
      uid: d.text('uid').primaryKey(),
      /** JSON: rows of `timeline`. */
      activities: d.text('activities').notNull(),
    }),

    timeline: d.table(
      'timeline',
      {
        /** Also the id of its message. */
        uid: d.text('uid').primaryKey(),
        /**
         * Place in the stream of all activities. Given after the commit by whoever reads the stream first, so that
         * no reader misses a row and no writer waits for another.
         */
        seq: d.int('seq'),
        action: d.text('action').notNull(),
        performedAt: d.int('performed_at').notNull(),
        registeredAt: d.int('registered_at').notNull(),
        /** serviceId; empty: the service itself. */
        identity: d.text('identity').notNull(),
        appId: d.text('app_id').notNull(),
        projectId: d.text('project_id').notNull(),
        /** Uid of the project (or the system) in which the resource stands: who may read there may read of it here. */
        scope: d.text('scope').notNull(),
        resourceUid: d.text('resource_uid').notNull(),
        resourceId: d.text('resource_id').notNull(),
        resourceType: d.text('resource_type').notNull(),
        /** The permission that shows it: `<type>:read`. */
        permission: d.text('permission').notNull(),
        service: d.text('service').notNull(),
        targetObject: d.text('target_object').notNull(),
      },
      (t) => [
        d.uniqueIndex('timeline_seq').on(t.seq),
        d.index('timeline_unnumbered').on(t.uid).where(sql`seq is null`),
        d.index('timeline_resource').on(t.resourceId, t.performedAt),
        d.index('timeline_resource_uid').on(t.resourceUid, t.performedAt),
        d.index('timeline_service').on(t.service, t.action, t.performedAt),
        d.index('timeline_service_time').on(t.service, t.performedAt),
        d.index('timeline_type').on(t.resourceType, t.performedAt),
        d.index('timeline_time').on(t.performedAt),
      ],
    ),
  };
}
