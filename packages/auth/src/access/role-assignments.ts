import { invalidRequest } from '@ledger-ops/base';
import { nextId, type Tx } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { bumpAccess } from './access-version.ts';
import type { RoleType } from './roles.ts';

/** Who holds a role: an identity by its serviceId, or an app by its uid. */
export type RoleHolder = { identity: string } | { app: string };

/** A role of a holder on a resource and all below it. */
export interface RoleGrant {
  holder: RoleHolder;
  /** Name of the role, of the type that the holder can have. */
  role: string;
  resourceUid: string;
}

/** How a holder stands in `role_assignment.holder`. */
export function holderKey(holder: RoleHolder): string {
  return 'identity' in holder ? `identity:${holder.identity}` : `app:${holder.app}`;
}

/**
 * Gives a role; again: nothing happens.
 *
 * @returns whether it was not held before
 * @throws Problem `invalid-request` naming an unknown role, holder or resource
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
    throw invalidRequest([{ pointer: '/resource', detail: 'there is no such resource' }]);
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
  return given.length > 0;
}

/**
 * Takes a role away; one that is not held: nothing happens.
 *
 * @throws Problem `invalid-request` naming an unknown role
 */
export async function takeRole(tx: Tx, grant: RoleGrant): Promise<void> {
  await bumpAccess(tx);
  const { roleAssignment } = tx.t;
  await tx.db
    .delete(roleAssignment)
    .where(
      and(
        eq(roleAssignment.holder, holderKey(grant.holder)),
        eq(roleAssignment.resourceUid, grant.resourceUid),
        eq(roleAssignment.roleUid, await roleUidOf(tx, grant)),
      ),
    );
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
      throw invalidRequest([{ pointer: '/identity', detail: 'there is no identity with this serviceId' }]);
    }
    return;
  }
  const found = await tx.db.select({ uid: app.uid }).from(app).where(eq(app.uid, holder.app));
  if (found.length === 0) throw invalidRequest([{ pointer: '/app', detail: 'there is no such application' }]);
}
