import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Activities on resources, with one row for each change. */
export function timelineTables(d: Dialect) {
  return {
    /**
     * Activities from sources that write many per second. To make writing cheap, there is one row per transaction and
     * no index. The next reader of the timeline moves the activities to `timeline`.
     */
    timelineBundle: d.table('timeline_bundle', {
      uid: d.text('uid').primaryKey(),
      /** JSON list of rows of `timeline`. */
      activities: d.text('activities').notNull(),
    }),

    timeline: d.table(
      'timeline',
      {
        /** Uid of the activity and of its message. */
        uid: d.text('uid').primaryKey(),
        /**
         * Position in the stream of all activities. The first reader after the commit assigns it, so that no reader
         * misses a row, and writers do not wait for each other.
         */
        seq: d.int('seq'),
        action: d.text('action').notNull(),
        performedAt: d.int('performed_at').notNull(),
        registeredAt: d.int('registered_at').notNull(),
        /** serviceId of the identity that made the change; empty for the service itself. */
        identity: d.text('identity').notNull(),
        appId: d.text('app_id').notNull(),
        projectId: d.text('project_id').notNull(),
        /**
         * Uid of the project that contains the resource, or of the system. Users who may read the project can
         * read this activity.
         */
        scope: d.text('scope').notNull(),
        resourceUid: d.text('resource_uid').notNull(),
        resourceId: d.text('resource_id').notNull(),
        resourceType: d.text('resource_type').notNull(),
        /** The permission that is required to see the activity: `<type>:read`. */
        permission: d.text('permission').notNull(),
        service: d.text('service').notNull(),
        targetObject: d.text('target_object').notNull(),
        /** JSON of names and changed values to display; null if there are none. */
        details: d.text('details'),
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
