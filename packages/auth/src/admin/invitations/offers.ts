import { invalidRequest, Problem } from '@ledger-ops/base';
import type { Queries, Tables, Tx } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { isArchived, usableApp } from '../../access/archived.ts';
import { governingPermission } from '../../access/permissions.ts';
import { typeOf } from '../../access/resource-type.ts';
import { giveRole, holderKey } from '../../access/role-assignments.ts';
import { usableIdentity } from '../../login/identity-lock.ts';
import type { Actor } from '../../timeline/record-activity.ts';
import { recordChange } from '../../timeline/record-change.ts';
import type { Permission, Principal } from '../../types.ts';
import type { AdminContext } from '../context.ts';
import { demandHeld } from '../demand-held.ts';
import { demandOn, unknownRole } from '../find.ts';
import { permissionsOf } from '../records.ts';
import { type InvitationRow, offersOf } from './records.ts';

/** A role on a resource, as offered by an invitation. */
export interface Offer {
  readonly resourceUid: string;
  readonly roleUid: string;
}

/**
 * Reads a role on the organization or on something in it, and checks that the caller could assign it.
 *
 * @throws Problem `not-found`, `not-permitted`, `invalid-request`
 */
export async function offerOf(
  context: AdminContext,
  principal: Principal,
  organizationUid: string,
  { resourceId, role, pointer }: { resourceId: string; role: string; pointer: string },
): Promise<Offer> {
  const { read } = context.store;
  const target = await demandOn(context, principal, 'manage', {
    id: resourceId,
    pointer: `${pointer}/resourceId`,
  });
  const inside = await read.all(
    'select resource_uid from resource_ancestor where resource_uid = $1 and ancestor_uid = $2',
    [target.uid, organizationUid],
  );
  if (inside.length === 0) {
    throw invalidRequest([
      { pointer: `${pointer}/resourceId`, detail: 'must be the organization or a resource in it' },
    ]);
  }
  const table = read.t.role;
  const [found] = await read.db
    .select()
    .from(table)
    .where(and(eq(table.roleType, 'IDENTITY'), eq(table.name, role)));
  if (found === undefined) throw unknownRole(role, 'IDENTITY', `${pointer}/role`);
  await demandHeld(context, principal, found, target.uid);
  return { resourceUid: target.uid, roleUid: found.uid };
}

/**
 * Checks that the inviter may still assign the offered roles. Follows the same rules as `decide`, but reads
 * in the transaction that assigns them, so no other change to access can happen at the same time.
 *
 * @throws Problem `conflict`
 */
export async function demandInviter(queries: Queries, row: InvitationRow): Promise<void> {
  const needed = new Map<string, Set<string>>([[row.organizationUid, new Set(['organization:invite'])]]);
  for (const { resource, role } of await offersOf(queries, [row.id])) {
    const permissions = needed.get(resource.uid) ?? new Set();
    for (const permission of [`${typeOf(resource)}:manage` as const, ...granted(role)]) {
      permissions.add(governingPermission(permission));
    }
    needed.set(resource.uid, permissions);
  }
  for (const [uid, permissions] of needed) {
    const { identity, app } = await heldBy(queries, row, uid);
    if ([...permissions].every((one) => identity.has(one) && app.has(one))) continue;
    throw new Problem(
      'conflict',
      'The user who made this invitation may no longer grant these roles. Ask for a new invitation.',
    );
  }
}

/**
 * Permissions that the inviter, and the application they sent the invitation with, hold on a
 * resource. Returns a set for each: empty if that holder is disabled or the resource is archived.
 */
async function heldBy(queries: Queries, { createdBy, createdByApp }: InvitationRow, uid: string) {
  const holders = {
    identity: holderKey({ identity: createdBy }),
    app: holderKey({ app: createdByApp }),
  };
  const rows = await queries.all<{ holder: string; permissions: string }>(
    `select a.holder, r.permissions from resource_ancestor c
       join role_assignment a on a.resource_uid = c.ancestor_uid
       join role r on r.uid = a.role_uid
      where c.resource_uid = $1 and not ${isArchived('c.resource_uid')}
        and ((a.holder = $2 and exists (select 1 from identity i where i.service_id = $3 and ${usableIdentity('i')}))
          or (a.holder = $4 and exists (select 1 from app p where p.uid = $5 and ${usableApp('p')})))`,
    [uid, holders.identity, createdBy, holders.app, createdByApp],
  );
  const of = (holder: string) =>
    new Set(rows.filter((row) => row.holder === holder).flatMap((row) => permissionsOf(row)));
  return { identity: of(holders.identity), app: of(holders.app) };
}

/** Assigns the offered roles. */
export async function giveOffers(
  tx: Tx,
  row: InvitationRow,
  invited: string,
  actor: Actor,
  at: number,
): Promise<void> {
  for (const { resource, role } of await offersOf(tx, [row.id])) {
    const holder = { identity: invited };
    if (!(await giveRole(tx, { holder, role: role.name, resourceUid: resource.uid }, at))) continue;
    const targetObject = `${role.name} ${invited}`;
    const change = { action: 'assign-role', service: 'invitations', targetObject } as const;
    await recordChange(tx, actor, resource.uid, change, at);
  }
}

function granted(role: Tables['role']['$inferSelect']): Permission[] {
  return permissionsOf(role).filter((text): text is Permission => text.includes(':'));
}
