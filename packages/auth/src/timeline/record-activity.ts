import { readJson, type SqlValue, type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { readPermission } from '../access/permissions.ts';
import { type Principal, type ResourceType, resourceTypes } from '../types.ts';
import { scopeIds } from './scope-ids.ts';
import type { ValueChange } from './value-changes.ts';

/** Type of an activity's subject: a resource, or a person's identity, which is not a resource. */
export type ActivityType = ResourceType | 'identity';
export const activityTypes: readonly ActivityType[] = [...resourceTypes, 'identity'];

/** Details of an activity for its readers, in addition to its ids. */
export interface ActivityDetails {
  /** Name of the resource at that time. Default: its id. */
  resourceName?: string;
  /**
   * Type of the changed part of the resource, such as `webhook`; absent if the resource itself
   * changed.
   */
  targetType?: string;
  targetName?: string;
  /** Values that an update changed (`valueChanges`). No secrets. */
  changes?: readonly ValueChange[];
}

/** A change as written to the timeline. */
export interface Activity extends ActivityDetails {
  /** The action: `create`, `update`, `delete` … */
  action: string;
  /** Component name of the service that did it: `plugins`, `contract-registry` … */
  service: string;
  resourceUid: string;
  /** The id shown to users. */
  resourceId: string;
  resourceType: ActivityType;
  /** Uid of the project that contains the resource, or of the system. */
  scope: string;
  /** The changed part of the resource: a name, a tag, an id. No secrets. Default: empty. */
  targetObject?: string;
  /** Milliseconds since the epoch; default: now. */
  performedAt?: number;
}

/** The identity and application that made a change; both are empty for the service itself. */
export type Actor = Pick<Principal, 'serviceId' | 'appId'>;

/** The service itself, for scheduled changes that no caller requested. */
export const serviceItself: Actor = { serviceId: '', appId: '' };

const columns = [
  'uid',
  'action',
  'performed_at',
  'registered_at',
  'identity',
  'app_id',
  'project_id',
  'scope',
  'resource_uid',
  'resource_id',
  'resource_type',
  'permission',
  'service',
  'target_object',
  'details',
];

/** Writes one change to the timeline, in the transaction that makes it. */
export async function recordActivity(tx: Tx, actor: Actor, activity: Activity, now: number): Promise<void> {
  await recordActivities(tx, [{ actor, activity }], now);
}

/** Writes many changes with one insert and one lookup of each project. */
export async function recordActivities(
  tx: Tx,
  activities: readonly { actor: Actor; activity: Activity }[],
  now: number,
): Promise<void> {
  if (activities.length === 0) return;
  await tx.insertMany('timeline', columns, await rowsOf(tx, activities, now));
}

/**
 * Like `recordActivities`, for very many changes. Stores them in one bundle, which becomes timeline rows when
 * the timeline is read (`unpackActivities`). So the transaction writes none of the timeline's indexes.
 */
export async function bundleActivities(
  tx: Tx,
  activities: readonly { actor: Actor; activity: Activity }[],
  now: number,
): Promise<void> {
  if (activities.length === 0) return;
  const rows = JSON.stringify(await rowsOf(tx, activities, now));
  await tx.insertMany('timeline_bundle', ['uid', 'activities'], [[uuidv7(), rows]]);
}

/** Number of bundles unpacked per transaction. */
const unpackedAtOnce = 100;

/** Converts bundles into timeline rows. Several readers may do so concurrently. */
export async function unpackActivities(store: Store): Promise<void> {
  while ((await store.read.all('SELECT uid FROM timeline_bundle LIMIT 1')).length > 0) {
    await store.transaction(async (tx) => {
      const bundles = await tx.all<{ uid: string; activities: string }>(
        `DELETE FROM timeline_bundle WHERE uid IN
          (SELECT uid FROM timeline_bundle ORDER BY uid LIMIT ${unpackedAtOnce}) RETURNING uid, activities`,
      );
      const rows = bundles.flatMap(({ activities }) => readJson<SqlValue[][]>(activities));
      if (rows.length > 0) await tx.insertMany('timeline', columns, rows);
    });
  }
}

async function rowsOf(
  tx: Tx,
  activities: readonly { actor: Actor; activity: Activity }[],
  now: number,
): Promise<SqlValue[][]> {
  const projects = await scopeIds(
    tx,
    activities.map(({ activity }) => activity.scope),
  );
  return activities.map(({ actor, activity }) => [
    uuidv7(),
    activity.action,
    activity.performedAt ?? now,
    now,
    actor.serviceId,
    actor.appId,
    projects.get(activity.scope) ?? '',
    activity.scope,
    activity.resourceUid,
    activity.resourceId,
    activity.resourceType,
    // Only administrators may see changes of identities.
    activity.resourceType === 'identity' ? 'system:read' : readPermission(activity.resourceType),
    activity.service,
    activity.targetObject ?? '',
    detailsOf(activity),
  ]);
}

function detailsOf({ resourceName, targetType, targetName, changes }: Activity): string | null {
  const details: ActivityDetails = {
    ...(resourceName === undefined ? {} : { resourceName }),
    ...(targetType === undefined ? {} : { targetType }),
    ...(targetName === undefined ? {} : { targetName }),
    ...(changes === undefined || changes.length === 0 ? {} : { changes }),
  };
  return Object.keys(details).length === 0 ? null : JSON.stringify(details);
}
