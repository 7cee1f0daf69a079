import {
  activityTypes,
  type Principal,
  type ResourceType,
  systemUid,
  unpackActivities,
} from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import { nextId, type Queries, type Store } from '@ledger-ops/store';
import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { readInstant } from './instant.ts';

/** A timeline record of section 2.9: all texts, dates in RFC 3339. */
export interface TimelineRecord {
  action: string;
  datePerformed: string;
  dateRegistered: string;
  /** serviceId; empty: the service itself. */
  identity: string;
  appID: string;
  projectID: string;
  pubsubMessageID: string;
  resourceID: string;
  resourceType: string;
  service: string;
  targetObject: string;
}

/** A record of the stream, with its place there. */
export interface StreamedActivity {
  /** To go on behind this one: `since(id)`. */
  id: number;
  record: TimelineRecord;
}

/** A place between two records of a listing. */
export interface TimelinePlace {
  readonly performedAt: number;
  readonly uid: string;
}

/** Which records; those that agree in all that is given. */
export interface TimelineFilter {
  /** resourceID or resourceUUID. */
  readonly resourceId?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly service?: string | undefined;
  readonly action?: string | undefined;
  /** RFC 3339. */
  readonly from?: string | undefined;
}

/** Activities on resources. Everybody sees what happened to the resources that they may read. */
export interface Timeline {
  /** By resourceID or resourceUUID, oldest first. @throws Problem `invalid-request` (`from`) */
  byResource(principal: Principal, resourceId: string, from?: string): Promise<TimelineRecord[]>;
  /** @throws Problem `invalid-request` (`from` missing or no RFC 3339 date) */
  byServiceAndAction(
    principal: Principal,
    service: string,
    action: string,
    from: string | undefined,
  ): Promise<TimelineRecord[]>;
  /** @throws Problem `invalid-request` (`from`, or `type` is no resource type) */
  byResourceType(principal: Principal, type: string, from: string | undefined): Promise<TimelineRecord[]>;
  /**
   * A page of them, oldest first; `next`: the place behind which the next page begins, null: there is none.
   *
   * @throws Problem `invalid-request` (`from`, or `resourceType` is none)
   */
  page(
    principal: Principal,
    filter: TimelineFilter,
    after: TimelinePlace | undefined,
    size: number,
  ): Promise<{ records: TimelineRecord[]; next: TimelinePlace | null }>;
  /**
   * Activities that were committed after the one of that id (0: from the beginning) and that the caller may see, in the order
   * of ids; `next` is where to go on, also when nothing was visible. No commit is ever missed between two calls.
   */
  since(
    principal: Principal,
    id: number,
    limit?: number,
  ): Promise<{ activities: StreamedActivity[]; next: number }>;
  /** The id of the newest activity now: where a stream without a past begins. */
  latest(): Promise<number>;
}

/** Options of the timeline. */
export interface TimelineOptions {
  store: Store;
}

/** Records that one query answers at most: the oldest from `from` on. Who wants more asks again from the last date. */
export const maxRecords = 10_000;
const numberedAtOnce = 5_000;

/** Makes the timeline's reader. Writing is auth's `recordActivity`, in the transaction of the change. */
export function createTimeline({ store }: TimelineOptions): Timeline {
  const { read } = store;
  const { timeline } = read.t;

  async function query(principal: Principal, where: SQL | undefined, from: number | undefined) {
    return (await rowsOf(principal, where, from, maxRecords)).map(recordOf);
  }

  async function rowsOf(
    principal: Principal,
    where: SQL | undefined,
    from: number | undefined,
    limit: number,
  ) {
    await unpackActivities(store);
    return await read.db
      .select()
      .from(timeline)
      .where(
        and(
          where,
          from === undefined ? undefined : gte(timeline.performedAt, from),
          visibleActivity(read, principal),
        ),
      )
      .orderBy(asc(timeline.performedAt), asc(timeline.uid))
      .limit(limit);
  }

  return {
    async byResource(principal, resourceId, from) {
      const which = or(eq(timeline.resourceId, resourceId), eq(timeline.resourceUid, resourceId));
      return await query(principal, which, from === undefined ? undefined : readInstant(from, 'from'));
    },
    async byServiceAndAction(principal, service, action, from) {
      const which = and(eq(timeline.service, service), eq(timeline.action, action));
      return await query(principal, which, readInstant(from, 'from'));
    },
    async byResourceType(principal, type, from) {
      demandType(type, 'type');
      return await query(principal, eq(timeline.resourceType, type), readInstant(from, 'from'));
    },
    async page(principal, { resourceId, resourceType, service, action, from }, after, size) {
      if (resourceType !== undefined) demandType(resourceType, 'resourceType');
      const where = and(
        resourceId === undefined
          ? undefined
          : or(eq(timeline.resourceId, resourceId), eq(timeline.resourceUid, resourceId)),
        resourceType === undefined ? undefined : eq(timeline.resourceType, resourceType),
        service === undefined ? undefined : eq(timeline.service, service),
        action === undefined ? undefined : eq(timeline.action, action),
        after === undefined
          ? undefined
          : and(
              gte(timeline.performedAt, after.performedAt),
              or(gt(timeline.performedAt, after.performedAt), gt(timeline.uid, after.uid)),
            ),
      );
      const since = from === undefined ? undefined : readInstant(from, 'from');
      const rows = await rowsOf(principal, where, since, size + 1);
      const last = rows.length > size ? rows[size - 1] : undefined;
      return {
        records: rows.slice(0, size).map(recordOf),
        next: last === undefined ? null : { performedAt: last.performedAt, uid: last.uid },
      };
    },
    async since(principal, id, limit = 100) {
      await number(store);
      const last = await newest(read);
      const rows = await read.db
        .select()
        .from(timeline)
        .where(and(gt(timeline.seq, id), visibleActivity(read, principal)))
        .orderBy(asc(timeline.seq))
        .limit(limit);
      const activities = rows.map((row) => ({ id: row.seq ?? 0, record: recordOf(row) }));
      const next = activities.length < limit ? Math.max(id, last) : (activities.at(-1)?.id ?? id);
      return { activities: activities.filter((activity) => activity.id <= next), next };
    },
    async latest() {
      await number(store);
      return await newest(read);
    },
  };
}

/**
 * Gives committed activities their places in the stream. Done by readers, one after the other under the counter's
 * lock: what a later commit brings gets a later place, so a reader that went on never has to look back.
 */
async function number(store: Store): Promise<void> {
  await unpackActivities(store);
  const { timeline } = store.read.t;
  const waiting = async (queries: Queries) =>
    await queries.db
      .select({ uid: timeline.uid })
      .from(timeline)
      .where(isNull(timeline.seq))
      .orderBy(asc(timeline.uid))
      .limit(numberedAtOnce);
  while ((await waiting(store.read)).length > 0) {
    await store.transaction(async (tx) => {
      // The lock first: what another reader numbered meanwhile is seen after it.
      await nextId(tx, 'timeline');
      const rows = await waiting(tx);
      const first = await nextId(tx, 'timeline', Math.max(1, rows.length));
      for (let start = 0; start < rows.length; start += 500) {
        const part = rows.slice(start, start + 500);
        const cases = sql.join(
          part.map(({ uid }, i) => sql`when ${uid} then ${sql.raw(String(first + start + i))}`),
          sql` `,
        );
        await tx.db
          .update(timeline)
          .set({ seq: sql`case ${timeline.uid} ${cases} end` })
          .where(
            inArray(
              timeline.uid,
              part.map(({ uid }) => uid),
            ),
          );
      }
    });
  }
}

/** @throws Problem `invalid-request` */
function demandType(type: string, pointer: string): void {
  const known: readonly string[] = activityTypes;
  if (known.includes(type)) return;
  throw invalidRequest([{ pointer, detail: `must be one of ${known.join(', ')}` }]);
}

async function newest({ db, t: { timeline } }: Queries): Promise<number> {
  const [row] = await db
    .select({ seq: timeline.seq })
    .from(timeline)
    .where(isNotNull(timeline.seq))
    .orderBy(desc(timeline.seq))
    .limit(1);
  return row?.seq ?? 0;
}

/**
 * Condition: a role of the identity and one of the app let the caller read the resource, on it or above it; or the
 * deployer shares it; or it is the caller's own identity. A resource that is gone is shown to those who may read its type in its project.
 */
function visibleActivity(queries: Queries, principal: Principal): SQL {
  const contains = sql.raw(queries.dialect === 'postgres' ? 'strpos' : 'instr');
  const { timeline } = queries.t;
  const granted = (holder: string) =>
    sql`exists (select 1 from role_assignment a join role r on r.uid = a.role_uid join resource_ancestor c on c.ancestor_uid = a.resource_uid where a.holder = ${holder} and c.resource_uid in (${timeline.resourceUid}, ${timeline.scope}) and ${contains}(r.permissions, '"' || ${timeline.permission} || '"') > 0)`;
  return sql`((${granted(`identity:${principal.serviceId}`)} and ${granted(`app:${principal.appUid}`)}) or (${timeline.scope} = ${systemUid} and ${timeline.resourceType} in ${shared}) or (${timeline.resourceType} = 'identity' and ${timeline.resourceUid} = ${principal.serviceId}))`;
}

const shared: readonly ResourceType[] = ['ledger', 'plugin', 'explorer'];

function recordOf(row: Queries['t']['timeline']['$inferSelect']): TimelineRecord {
  return {
    action: row.action,
    datePerformed: new Date(row.performedAt).toISOString(),
    dateRegistered: new Date(row.registeredAt).toISOString(),
    identity: row.identity,
    appID: row.appId,
    projectID: row.projectId,
    pubsubMessageID: row.uid,
    resourceID: row.resourceId,
    resourceType: row.resourceType,
    service: row.service,
    targetObject: row.targetObject,
  };
}
