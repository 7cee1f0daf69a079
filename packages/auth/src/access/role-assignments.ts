import { invalidRequest } from '@ledger-ops/base';
import { nextId, type Tx } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { addRecords, removeRecords } from '../storage/records.ts';
import { bumpAccess } from './access-version.ts';
import type { RoleType } from './roles.ts';

/** The holder of a role: an identity by its serviceId, or an app by its uid. */
export type RoleHolder = { identity: string } | { app: string };

/** A role of a holder on a resource and all its descendants. */
export interface RoleGrant {
  holder: RoleHolder;
  /** Name of a role. Its type (identity or app) must match the holder. */
  role: string;
  resourceUid: string;
}

/** Returns the holder's value in `role_assignment.holder`. */
export function holderKey(holder: RoleHolder): string {
  return 'identity' in holder ? `identity:${holder.identity}` : `app:${holder.app}`;
}

/**
 * Assigns a role. Does nothing if the role is already assigned.
 *
 * @returns whether the role was newly assigned
 * @throws Problem `invalid-request` that names an unknown role, holder or resource
 */
export async function giveRole(tx: Tx, grant: RoleGrant, now: number): Promise<boolean> {
  await bumpAccess(tx);
  const { resource, roleAssignment } = tx.t;
  const roleUid = await roleUidOf(tx, grant);
  await checkHolder(tx, grant.holder);
  const found = await tx.db
    .select({ uid: resource.uid })
    .from(resource)
    .where(eq(resource.uid, grant.resourceUid));
  if (found.length === 0)
    throw invalidRequest([{ pointer: '/resource', detail: 'the resource does not exist' }]);
  const given = await tx.db
    .insert(roleAssignment)
    .values({
      id: await nextId(tx, 'role_assignment'),
      holder: holderKey(grant.holder),
      resourceUid: grant.resourceUid,
      roleUid,
      createdAt: now,
    })
    .onConflictDoNothing({
      target: [roleAssignment.holder, roleAssignment.resourceUid, roleAssignment.roleUid],
    })
    .returning({ id: roleAssignment.id });
  if (given.length > 0) await addRecords(tx, grant.resourceUid, 'roles');
  return given.length > 0;
}

/**
 * Removes a role. Does nothing if the role is not assigned.
 *
 * @throws Problem `invalid-request` that names an unknown role
 */
export async function takeRole(tx: Tx, grant: RoleGrant): Promise<void> {
  await bumpAccess(tx);
  const { roleAssignment } = tx.t;
  const taken = await tx.db
    .delete(roleAssignment)
    .where(
      and(
        eq(roleAssignment.holder, holderKey(grant.holder)),
        eq(roleAssignment.resourceUid, grant.resourceUid),
        eq(roleAssignment.roleUid, await roleUidOf(tx, grant)),
      ),
    )
    .returning({ id: roleAssignment.id });
  await removeRecords(tx, grant.resourceUid, 'roles', taken.length);
}

async function roleUidOf(tx: Tx, { holder, role: name }: RoleGrant): Promise<string> {
  const { role } = tx.t;
  const roleType: RoleType = 'identity' in holder ? 'IDENTITY' : 'APP';
  const [row] = await tx.db
    .select({ uid: role.uid })
    .from(role)
    .where(and(eq(role.roleType, roleType), eq(role.name, name)));
  if (row === undefined) {
    throw invalidRequest([
      { pointer: '/role', detail: `there is no role of type ${roleType} with this name` },
    ]);
  }
  return row.uid;
}

async function checkHolder(tx: Tx, holder: RoleHolder): Promise<void> {
  const { identity, app } = tx.t;
  if ('identity' in holder) {
    const found = await tx.db
      .select({ serviceId: identity.serviceId })
      .from(identity)
      .where(eq(identity.serviceId, holder.identity));
    if (found.length === 0) {
      throw invalidRequest([{ pointer: '/identity', detail: 'no identity has this serviceId' }]);
    }
    return;
  }
  const found = await tx.db.select({ uid: app.uid }).from(app).where(eq(app.uid, holder.app));
  if (found.length === 0)
    throw invalidRequest([{ pointer: '/app', detail: 'the application does not exist' }]);
}
