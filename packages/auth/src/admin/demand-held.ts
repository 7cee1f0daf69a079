import { Problem } from '@ledger-ops/base';
import type { Tables } from '@ledger-ops/store';
import { eq, sql } from 'drizzle-orm';
import { holderKey, type RoleHolder } from '../access/role-assignments.ts';
import type { Permission, Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { permissionsOf } from './records.ts';

type RoleRow = Tables['role']['$inferSelect'];

/**
 * Callers may grant only what they hold: every permission of the role on that resource, through their own
 * roles and through those of their application.
 *
 * @throws Problem `not-permitted`
 */
export async function demandHeld(
  { auth }: Pick<AdminContext, 'auth'>,
  principal: Principal,
  role: RoleRow,
  resourceUid: string,
): Promise<void> {
  const permissions = permissionsOf(role).filter(isPermission);
  const { result, missingAppPermissions, missingResourcePermissions } = await auth.holds(
    principal,
    permissions,
    resourceUid,
  );
  if (result) return;
  throw new Problem(
    'not-permitted',
    `The role ${role.name} grants permissions that the caller does not have on this resource. You can only grant permissions that you have yourself.`,
    { extensions: { missingAppPermissions, missingResourcePermissions } },
  );
}

/**
 * A caller that receives or reactivates credentials of an account or application can use its roles. So the
 * caller must already hold all of these roles' permissions.
 *
 * @throws Problem `not-permitted`
 */
export async function demandHeldOf(
  context: Pick<AdminContext, 'auth' | 'store'>,
  principal: Principal,
  holder: RoleHolder,
): Promise<void> {
  const { roleAssignment, role } = context.store.read.t;
  const held = await context.store.read.db
    .select()
    .from(roleAssignment)
    .innerJoin(role, eq(role.uid, roleAssignment.roleUid))
    .where(eq(roleAssignment.holder, holderKey(holder)));
  for (const one of held) await demandHeld(context, principal, one.role, one.role_assignment.resourceUid);
}

/**
 * Like {@link demandHeldOf}, for every account and application at or below a resource: restoring the resource
 * reactivates their credentials.
 *
 * @throws Problem `not-permitted`
 */
export async function demandHeldBelow(
  context: Pick<AdminContext, 'auth' | 'store'>,
  principal: Principal,
  uid: string,
): Promise<void> {
  const { roleAssignment: held, role, resourceAncestor: c } = context.store.read.t;
  const given = await context.store.read.db
    .selectDistinct({ role, resourceUid: held.resourceUid })
    .from(c)
    .innerJoin(
      held,
      sql`${held.holder} = case ${c.type} when 'app' then 'app:' when 'service-account' then 'identity:' end || ${c.resourceUid}`,
    )
    .innerJoin(role, eq(role.uid, held.roleUid))
    .where(eq(c.ancestorUid, uid));
  for (const one of given) await demandHeld(context, principal, one.role, one.resourceUid);
}

function isPermission(text: string): text is Permission {
  return text.includes(':');
}
