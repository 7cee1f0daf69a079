import type { Tx } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { typeOf } from '../access/resource-type.ts';
import { systemUid } from '../access/resources.ts';
import { type Activity, type Actor, recordActivity } from './record-activity.ts';

/** A change, and the service that made it. */
export interface Change extends Pick<Activity, 'action' | 'targetObject'> {
  /** Name of its component (section 9 of the specification); `access-control` is what signs in. */
  service:
    | 'resource-manager'
    | 'identities'
    | 'service-accounts'
    | 'organization-projects'
    | 'apps'
    | 'invitations'
    | 'access-control';
}

/**
 * Writes a change to the timeline, in the transaction that makes it: of a resource, or of an identity. A service
 * account is both: its identity's changes are its resource's.
 *
 * @param uid the resource's uid, or the identity's serviceId
 */
export async function recordChange(
  tx: Tx,
  actor: Actor,
  uid: string,
  change: Change,
  now: number,
): Promise<void> {
  const { resource } = tx.t;
  const [row] = await tx.db.select().from(resource).where(eq(resource.uid, uid));
  const about =
    row === undefined
      ? ({ resourceId: uid, resourceType: 'identity', scope: systemUid } as const)
      : { resourceId: row.resourceId, resourceType: typeOf(row), scope: await projectOf(tx, uid) };
  await recordActivity(tx, actor, { ...change, resourceUid: uid, ...about }, now);
}

/** Uid of the project in which a resource stands (a project stands in itself); else of the system. */
async function projectOf(tx: Tx, uid: string): Promise<string> {
  const [project] = await tx.all<{ uid: string }>(
    `select p.uid from resource_ancestor c join resource p on p.uid = c.ancestor_uid
      where c.resource_uid = $1 and p.type = 'project'`,
    [uid],
  );
  return project?.uid ?? systemUid;
}
