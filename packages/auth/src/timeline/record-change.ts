import type { Tx } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { typeOf } from '../access/resource-type.ts';
import { systemUid } from '../access/system-uid.ts';
import { type Activity, type ActivityType, type Actor, recordActivity } from './record-activity.ts';

/** A change, and the service that made it. */
export interface Change extends Pick<Activity, 'action' | 'targetObject' | 'changes'> {
  /** Component name (section 9 of the specification); `access-control` stands for sign-in. */
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
 * Writes a change of a resource or an identity to the timeline, in the transaction that makes it. A service
 * account is both a resource and an identity: changes of its identity are recorded as changes of its
 * resource.
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
  const resourceName = await nameOf(tx, uid, about.resourceType);
  const named = resourceName === undefined ? {} : { resourceName };
  await recordActivity(tx, actor, { ...change, resourceUid: uid, ...about, ...named }, now);
}

async function nameOf(tx: Tx, uid: string, type: ActivityType): Promise<string | undefined> {
  const { organization, project, app, serviceAccount, identity } = tx.t;
  const [row] =
    type === 'organization'
      ? await tx.db.select({ name: organization.name }).from(organization).where(eq(organization.uid, uid))
      : type === 'project'
        ? await tx.db.select({ name: project.name }).from(project).where(eq(project.uid, uid))
        : type === 'app'
          ? await tx.db.select({ name: app.name }).from(app).where(eq(app.uid, uid))
          : type === 'service-account'
            ? await tx.db
                .select({ name: serviceAccount.name })
                .from(serviceAccount)
                .where(eq(serviceAccount.serviceId, uid))
            : type === 'identity'
              ? await tx.db
                  .select({ name: identity.identifier })
                  .from(identity)
                  .where(eq(identity.serviceId, uid))
              : [];
  return row?.name;
}

/**
 * Returns the uid of the project that contains a resource (a project contains itself), otherwise that of the
 * system.
 */
async function projectOf(tx: Tx, uid: string): Promise<string> {
  const [project] = await tx.all<{ uid: string }>(
    `select p.uid from resource_ancestor c join resource p on p.uid = c.ancestor_uid
      where c.resource_uid = $1 and p.type = 'project'`,
    [uid],
  );
  return project?.uid ?? systemUid;
}
