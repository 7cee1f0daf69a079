import { readJson, type SqlValue, type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { readPermission } from '../access/permissions.ts';
import { type Principal, type ResourceType, resourceTypes } from '../types.ts';
import { scopeIds } from './scope-ids.ts';

/** The subject of an activity: a resource, or an identity, which is no resource of its own. */
export type ActivityType = ResourceType | 'identity';
export const activityTypes: readonly ActivityType[] = [...resourceTypes, 'identity'];

/** One change, as it is written to the timeline. */
export interface Activity {
  /** The action: `create`, `update`, `delete` … */
  action: string;
  /** The service that did it, by the name of its component: `plugins`, `contract-registry` … */
  service: string;
  resourceUid: string;
  /** The id that people see. */
  resourceId: string;
  resourceType: ActivityType;
  /** Uid of the project in which the resource stands, or of the system. */
  scope: string;
  /** The object of the change, beside the resource: a name, a tag, an id. No secrets. Default: empty. */
  targetObject?: string;
  /** Milliseconds since the epoch; default: now. */
  performedAt?: number;
}

/** Who did it. An empty `serviceId` and `appId` is the service itself. */
export type Actor = Pick<Principal, 'serviceId' | 'appId'>;

/** The service itself: what it does when its time has come, and nobody asks for it. */
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
];

/** Writes one change to the timeline, in the transaction that makes it. */
export async function recordActivity(tx: Tx, actor: Actor, activity: Activity, now: number): Promise<void> {
  await recordActivities(tx, [{ actor, activity }], now);
}

/** Writes many changes at once: one insert, one look at each project. */
export async function recordActivities(
  tx: Tx,
  activities: readonly { actor: Actor; activity: Activity }[],
  now: number,
): Promise<void> {
  if (activities.length === 0) return;
  await tx.insertMany('timeline', columns, await rowsOf(tx, activities, now));
}

/**
 * The same where very many are written: they are stored together, and become rows of the timeline when it is read
 * (`unpackActivities`), so that the transaction writes none of its indexes.
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

/** Bundles that become rows in one transaction. */
const unpackedAtOnce = 100;

/** Makes rows of what was bundled. Any number of readers may do it at once. */
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
    // Identities are the administrators' matter.
    activity.resourceType === 'identity' ? 'system:read' : readPermission(activity.resourceType),
    activity.service,
    activity.targetObject ?? '',
  ]);
}
