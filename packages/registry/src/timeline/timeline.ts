import { setImmediate } from 'node:timers/promises';
import { type ActivityDetails, activityTypes, type Principal, unpackActivities } from '@ledger-ops/auth';
import { createCursors, invalidRequest, type MasterKey } from '@ledger-ops/base';
import { nextId, type Queries, readJson, type SqlValue, type Store } from '@ledger-ops/store';
import { asc, desc, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { readInstant } from './instant.ts';
import { visibleActivity } from './visible-activity.ts';

/** A timeline record as defined in section 2.9. All members are strings; dates are in RFC 3339. */
export interface TimelineRecord {
  action: string;
  datePerformed: string;
  dateRegistered: string;
  /** serviceId; empty for the service itself. */
  identity: string;
  appID: string;
  projectID: string;
  pubsubMessageID: string;
  resourceID: string;
  resourceType: string;
  service: string;
  targetObject: string;
}

/** A record with display names. */
export interface NamedRecord {
  readonly record: TimelineRecord;
  readonly details: ActivityDetails;
}

/** A record with its position in the stream of all activities. */
export interface StreamedActivity {
  /** To continue after this record, call `since(id)`. */
  id: number;
  record: TimelineRecord;
}

/** Filter for records; a record must match every given member. */
export interface TimelineFilter {
  /** resourceID or resourceUUID. */
  readonly resourceId?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly service?: string | undefined;
  readonly action?: string | undefined;
  /** RFC 3339. */
  readonly from?: string | undefined;
}

/** A page of these records. */
export interface TimelineQuery extends TimelineFilter {
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
  /** Order by time of the activity. */
  readonly order: TimelineOrder;
  readonly size: number;
}

export const timelineOrders = ['oldest', 'newest'] as const;
/** Which records come first. */
export type TimelineOrder = (typeof timelineOrders)[number];

/** Activities on resources. Callers see the activities of the resources that they may read. */
export interface Timeline {
  /**
   * Returns the activities of a resource, by resourceID or resourceUUID, oldest first.
   * @throws Problem `invalid-request` (`from`)
   */
  byResource(principal: Principal, resourceId: string, from?: string): Promise<TimelineRecord[]>;
  /** @throws Problem `invalid-request` (`from` is missing or not an RFC 3339 date) */
  byServiceAndAction(
    principal: Principal,
    service: string,
    action: string,
    from: string | undefined,
  ): Promise<TimelineRecord[]>;
  /** @throws Problem `invalid-request` (`from`, or `type` is not a resource type) */
  byResourceType(principal: Principal, type: string, from: string | undefined): Promise<TimelineRecord[]>;
  /**
   * One page of records. Each call reads a limited number of records, so a page can be short or
   * empty even if another page follows. `next` is the cursor of the next page, valid only for this
   * caller; null if there is none.
   *
   * @throws Problem `invalid-request` (`from`, `cursor`, or `resourceType` is not a resource type)
   */
  page(principal: Principal, query: TimelineQuery): Promise<{ records: NamedRecord[]; next: string | null }>;
  /**
   * Activities after the one with that id (0 for all) that the caller may see, in order of their ids. `next`
   * is the id to continue after, even if no activity was visible; `more` is true if further activities
   * already exist. Consecutive calls never miss a commit.
   */
  since(
    principal: Principal,
    id: number,
    limit?: number,
  ): Promise<{ activities: StreamedActivity[]; next: number; more: boolean }>;
  /** Returns the id of the newest activity, for streams that start with the next one. */
  latest(): Promise<number>;
}

export interface TimelineOptions {
  store: Store;
  /** Seals cursors, because they contain data of records that the caller may not see. */
  masterKey: MasterKey;
}

/**
 * Maximum number of records that a query returns: the oldest since `from`. To get more, query again from the date of
 * the last record.
 */
export const maxRecords = 10_000;
const numberedAtOnce = 5_000;
/** Maximum number of records read per query, including those that the caller may not see. */
const mostWalked = 1_000;

/** Position after a record. */
interface Place {
  at: number;
  uid: string;
}

/** Start, direction and maximum number of results of a walk. */
interface Walk {
  /** If absent, starts at the beginning. */
  after?: Place | undefined;
  order: TimelineOrder;
  size: number;
}

/**
 * Creates the timeline's reader. `recordActivity` of the auth package writes activities, in the
 * transaction of the change.
 */
export function createTimeline({ store, masterKey }: TimelineOptions): Timeline {
  const { read } = store;
  const cursors = createCursors(masterKey, 'activities');

  /** Returns all records that match the filter, up to `maxRecords`. */
  async function query(principal: Principal, filter: TimelineFilter): Promise<TimelineRecord[]> {
    const found: TimelineRecord[] = [];
    let after: Place | undefined;
    for (;;) {
      const { rows, next } = await walk(principal, filter, { after, order: 'oldest', size: mostWalked });
      found.push(...rows.map(recordOf));
      if (next === null || found.length >= maxRecords) return found.slice(0, maxRecords);
      after = next;
      // Yields to other work, because SQLite reads resolve in microtasks.
      await setImmediate();
    }
  }

  /**
   * Returns the first records after a position that the caller may see. `next`: the position from which to
   * continue.
   */
  async function walk(
    principal: Principal,
    filter: TimelineFilter,
    { after, order, size }: Walk,
  ): Promise<{ rows: Row[]; next: Place | null }> {
    await unpackActivities(store);
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const [direction, beyond] = order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
    const inOrder = `ORDER BY performed_at ${direction}, uid ${direction}`;
    const given = (equal: Equal) => equal.map(([column, value]) => `${column} = ${param(value)}`);
    const { ranges, others } = rangesOf(filter);
    const bounds: string[] = [];
    if (filter.from !== undefined) bounds.push(`performed_at >= ${param(readInstant(filter.from, 'from'))}`);
    if (after !== undefined) {
      const at = param(after.at);
      bounds.push(
        `performed_at ${beyond}= ${at} AND (performed_at ${beyond} ${at} OR uid ${beyond} ${param(after.uid)})`,
      );
    }
    const [first = '', ...more] = ranges.map((range) => {
      const conditions = [...given(range), ...bounds];
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      return `SELECT ${columns} FROM timeline ${where} ${inOrder} LIMIT ${mostWalked}`;
    });
    const walked = more.length === 0 ? first : `${union([first, ...more])} ${inOrder} LIMIT ${mostWalked}`;
    const ofWalk = [...params];
    const shown = [...given(others), visibleActivity(read.dialect, principal, param)].join(' AND ');
    const rows = await read.all<Row>(
      `SELECT ${columns} FROM (${walked}) AS timeline WHERE ${shown} ${inOrder} LIMIT ${size + 1}`,
      params,
    );
    if (rows.length > size) return { rows: rows.slice(0, size), next: placeOf(rows[size - 1]) };
    const [end] = await read.all<Pick<Row, 'uid' | 'performed_at'>>(
      `SELECT uid, performed_at FROM (${walked}) AS timeline ${inOrder} LIMIT 1 OFFSET ${mostWalked - 1}`,
      ofWalk,
    );
    return { rows, next: placeOf(end) };
  }

  return {
    byResource: (principal, resourceId, from) => query(principal, { resourceId, from }),
    async byServiceAndAction(principal, service, action, from) {
      readInstant(from, 'from');
      return await query(principal, { service, action, from });
    },
    async byResourceType(principal, resourceType, from) {
      demandType(resourceType, 'type');
      readInstant(from, 'from');
      return await query(principal, { resourceType, from });
    },
    async page(principal, { cursor, order, size, ...filter }) {
      if (filter.resourceType !== undefined) demandType(filter.resourceType, 'resourceType');
      const after =
        cursor === undefined ? undefined : readJson<Place>(cursors.placeOf(principal.serviceId, cursor));
      const { rows, next } = await walk(principal, filter, { after, order, size });
      return {
        records: rows.map((row) => ({
          record: recordOf(row),
          details: readJson<ActivityDetails>(row.details) ?? {},
        })),
        next: next === null ? null : cursors.of(principal.serviceId, JSON.stringify(next)),
      };
    },
    async since(principal, id, limit = 100) {
      await number(store);
      const [walked] = await read.all<{ last: number | null; n: number }>(
        `SELECT MAX(seq) AS last, COUNT(*) AS n
          FROM (SELECT seq FROM timeline WHERE seq > $1 ORDER BY seq LIMIT ${mostWalked}) AS walked`,
        [id],
      );
      const last = walked?.last ?? id;
      const params: SqlValue[] = [id, last];
      const visible = visibleActivity(read.dialect, principal, (value) => `$${params.push(value)}`);
      const rows = await read.all<Row & { seq: number }>(
        `SELECT seq, ${columns} FROM timeline WHERE seq > $1 AND seq <= $2 AND ${visible} ORDER BY seq LIMIT ${limit}`,
        params,
      );
      const activities = rows.map((row) => ({ id: row.seq, record: recordOf(row) }));
      return activities.length < limit
        ? { activities, next: last, more: Number(walked?.n ?? 0) === mostWalked }
        : { activities, next: activities.at(-1)?.id ?? last, more: true };
    },
    async latest() {
      await number(store);
      return await newest(read);
    },
  };
}

/** Columns and the values that they must equal. */
type Equal = [string, string][];

/**
 * Splits a filter into index ranges ordered by time, and remaining conditions. Every matching record is in at least one
 * of the ranges.
 */
function rangesOf({ resourceId, resourceType, service, action }: TimelineFilter): {
  ranges: Equal[];
  others: Equal;
} {
  const equal = (column: string, value: string | undefined): Equal =>
    value === undefined ? [] : [[column, value]];
  const ofType = equal('resource_type', resourceType);
  const ofService = [...equal('service', service), ...equal('action', action)];
  if (resourceId !== undefined) {
    const ranges = ['resource_id', 'resource_uid'].map((column) => equal(column, resourceId));
    return { ranges, others: [...ofType, ...ofService] };
  }
  return service === undefined ? { ranges: [ofType], others: [] } : { ranges: [ofService], others: ofType };
}

/** SQL: the union of the parts, without duplicates. */
function union(parts: readonly string[]): string {
  const each = parts.map((part) => `SELECT * FROM (${part}) AS part`);
  return `SELECT * FROM (${each.join(' UNION ')}) AS parts`;
}

function placeOf(row: Pick<Row, 'uid' | 'performed_at'> | undefined): Place | null {
  return row === undefined ? null : { at: row.performed_at, uid: row.uid };
}

/**
 * Numbers committed activities. Readers do this one after the other, because they lock the counter.
 * Activities that are committed later get higher numbers, so a reader never misses one by
 * continuing from its last id.
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
      // Locks the counter first, so that the rows that another reader numbered are visible to this
      // transaction.
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

interface Row extends Record<string, SqlValue> {
  uid: string;
  action: string;
  performed_at: number;
  registered_at: number;
  identity: string;
  app_id: string;
  project_id: string;
  scope: string;
  resource_uid: string;
  resource_id: string;
  resource_type: string;
  permission: string;
  service: string;
  target_object: string;
  details: string | null;
}
const columns =
  'uid, action, performed_at, registered_at, identity, app_id, project_id, scope, resource_uid, resource_id, resource_type, permission, service, target_object, details';

function recordOf(row: Row): TimelineRecord {
  return {
    action: row.action,
    datePerformed: new Date(row.performed_at).toISOString(),
    dateRegistered: new Date(row.registered_at).toISOString(),
    identity: row.identity,
    appID: row.app_id,
    projectID: row.project_id,
    pubsubMessageID: row.uid,
    resourceID: row.resource_id,
    resourceType: row.resource_type,
    service: row.service,
    targetObject: row.target_object,
  };
}
