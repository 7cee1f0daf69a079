import { type PageBody, type Paging, Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, nextId, once, type Tables, type Tx } from '@ledger-ops/store';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { bumpAccess } from '../access/access-version.ts';
import { typeOf } from '../access/resource-type.ts';
import { holderKey } from '../access/role-assignments.ts';
import type { RoleType } from '../access/roles.ts';
import { serviceItself } from '../timeline/record-activity.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { Principal } from '../types.ts';
import { keepAnAdministrator } from './administrators.ts';
import type { AdminContext } from './context.ts';
import { demandHeld } from './demand-held.ts';
import { demandEvenArchived, demandOn, findResource, notFound } from './find.ts';
import { findIdentity } from './find-identity.ts';
import { listRecords } from './listing.ts';
import {
  type AppIdentityRoleView,
  type AssignmentRow,
  appIdentityRoleViews,
  appRoleViews,
  type ResourceIdentityRoleView,
  type RoleView,
  resourceIdentityRoleViews,
  roleView,
} from './records.ts';
import { all, visibilityOf } from './visibility.ts';

/** Roles, and who holds them on what. Names are ids: see `reference`. */
export interface RoleGrants {
  /** All roles, or those with one of the names, or of a type. */
  listRoles(names: readonly string[], roleType?: RoleType): Promise<RoleView[]>;
  /** Roles of identities on an app. @throws Problem `not-found` */
  listAppIdentityRoles(principal: Principal, app: string): Promise<AppIdentityRoleView[]>;
  /** @throws Problem `not-found`, `not-permitted`, `already-exists` */
  createAppIdentityRole(
    principal: Principal,
    input: { identity: string; app: string; role: string },
    claim?: IdempotencyClaim,
  ): Promise<AppIdentityRoleView>;
  /** Roles of apps on a resource. @throws Problem `not-found` */
  listAppRoles(principal: Principal, resourceId: string): Promise<AppIdentityRoleView[]>;
  /** Gives an app this role on a resource in place of those that it held there. */
  setAppRole(
    principal: Principal,
    resourceId: string,
    input: { app: string; role: string },
  ): Promise<AppIdentityRoleView>;
  /** Roles of identities (or of one) on a resource itself, without what they inherit from above. */
  listOnResource(
    principal: Principal,
    query: Paging & { resource: string; identity?: string | undefined },
  ): Promise<PageBody<ResourceIdentityRoleView>>;
  /** An identity's roles on all that the caller may read. */
  listOfIdentity(
    principal: Principal,
    identity: string,
    query: Paging & { resource?: string | undefined },
  ): Promise<PageBody<ResourceIdentityRoleView>>;
  /** @throws Problem `not-found`, `not-permitted`, `already-exists` */
  create(
    principal: Principal,
    input: { identity: string; resource: string; role: string },
    claim?: IdempotencyClaim,
  ): Promise<ResourceIdentityRoleView>;
  /**
   * Schedules the end of a role, durably, and ends it at once where that is possible.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (the last administrator)
   */
  remove(principal: Principal, resourceId: string, serviceId: string, role: string): Promise<void>;
  /** Ends the roles whose end was scheduled and did not take place yet. */
  sweep(): Promise<void>;
}

const service = 'resource-manager';
type RoleRow = Tables['role']['$inferSelect'];

/** Makes the service. */
export function createRoleGrants(context: AdminContext): RoleGrants {
  const { store, now, logger } = context;
  const { read } = store;
  const { roleAssignment, role } = read.t;

  const findRole = async (name: string, roleType: RoleType): Promise<RoleRow> => {
    const [row] = await read.db
      .select()
      .from(role)
      .where(and(eq(role.roleType, roleType), eq(role.name, name)));
    if (row === undefined) throw notFound(`role of type ${roleType}`, '/role');
    return row;
  };

  const listPage = async (query: Paging, where: ReturnType<typeof all>) =>
    await listRecords(
      read,
      {
        contentType: 'ResourceIdentityRolePage',
        table: roleAssignment,
        columns: { id: roleAssignment.id, dateCreated: roleAssignment.createdAt },
        tieBreaker: roleAssignment.id,
        where,
        present: (rows) => resourceIdentityRoleViews(read, rows),
      },
      query,
    );

  const sweep = async (): Promise<void> => {
    const { roleDeletion } = read.t;
    const due = await read.db.select({ id: roleDeletion.id }).from(roleDeletion).limit(100);
    for (const { id } of due) await store.transaction((tx) => endRole(tx, id, now(), logger));
    if (due.length === 100) await sweep();
  };

  /** `holder`: serviceId or appId. */
  const record = (
    tx: Tx,
    principal: Principal,
    action: 'assign-role' | 'revoke-role',
    resourceUid: string,
    role: string,
    holder: string,
  ) =>
    recordChange(tx, principal, resourceUid, { action, service, targetObject: `${role} ${holder}` }, now());

  return {
    async listRoles(names, roleType) {
      const rows = await read.db
        .select()
        .from(role)
        .where(
          and(
            names.length === 0 ? undefined : inArray(role.name, [...names]),
            roleType === undefined ? undefined : eq(role.roleType, roleType),
          ),
        )
        .orderBy(role.id);
      return rows.map(roleView);
    },

    async listAppIdentityRoles(principal, app) {
      const { uid } = await findResource(context, principal, { id: app, type: 'app' });
      const rows = await read.db
        .select()
        .from(roleAssignment)
        .where(and(eq(roleAssignment.resourceUid, uid), sql`${roleAssignment.holder} like 'identity:%'`))
        .orderBy(roleAssignment.id);
      return await appIdentityRoleViews(read, rows);
    },

    async createAppIdentityRole(principal, input, claim) {
      const app = await demandOn(context, principal, 'manage', {
        id: input.app,
        type: 'app',
        pointer: '/app',
      });
      const row = await findRole(input.role, 'IDENTITY');
      const { serviceId } = await findIdentity(context, principal, input.identity, {
        pointer: '/identity',
        invitedTo: app.uid,
      });
      await demandHeld(context, principal, row, app.uid);
      return await once(store, { claim, status: 201 }, async (tx) => {
        const added = await addAssignment(tx, holderKey({ identity: serviceId }), app.uid, row.uid, now());
        await record(tx, principal, 'assign-role', app.uid, row.name, serviceId);
        return only(await appIdentityRoleViews(tx, [added]));
      });
    },

    async listAppRoles(principal, resourceId) {
      const { uid } = await findResource(context, principal, { id: resourceId });
      const { app } = read.t;
      const rows = await read.db
        .select()
        .from(roleAssignment)
        .where(
          and(
            eq(roleAssignment.resourceUid, uid),
            sql`${roleAssignment.holder} in (select 'app:' || ${app.uid} from ${app} where ${visibilityOf(read, principal, 'set').resources(app.uid, 'app')})`,
          ),
        )
        .orderBy(roleAssignment.id);
      return await appRoleViews(read, rows);
    },

    async setAppRole(principal, resourceId, input) {
      const resource = await demandOn(context, principal, 'manage', { id: resourceId });
      const app = await demandOn(context, principal, 'manage', {
        id: input.app,
        type: 'app',
        pointer: '/app',
      });
      const row = await findRole(input.role, 'APP');
      await demandHeld(context, principal, row, resource.uid);
      const holder = holderKey({ app: app.uid });
      return await store.transaction(async (tx) => {
        await bumpAccess(tx);
        const table = tx.t.roleAssignment;
        const held = await tx.db
          .select()
          .from(table)
          .where(and(eq(table.holder, holder), eq(table.resourceUid, resource.uid)));
        for (const one of held.filter(({ roleUid }) => roleUid !== row.uid)) {
          await keepAnAdministrator(tx, { assignment: one.id });
          await tx.db.delete(table).where(eq(table.id, one.id));
          const [before] = await tx.db.select().from(tx.t.role).where(eq(tx.t.role.uid, one.roleUid));
          await record(tx, principal, 'revoke-role', resource.uid, before?.name ?? '', app.resourceId);
        }
        const same = held.find(({ roleUid }) => roleUid === row.uid);
        if (same !== undefined) return only(await appRoleViews(tx, [same]));
        const added = await addAssignment(tx, holder, resource.uid, row.uid, now());
        await record(tx, principal, 'assign-role', resource.uid, row.name, app.resourceId);
        return only(await appRoleViews(tx, [added]));
      });
    },

    async listOnResource(principal, query) {
      const { uid } = await findResource(context, principal, { id: query.resource });
      const holder =
        query.identity === undefined
          ? sql`${roleAssignment.holder} like 'identity:%' and ${visibilityOf(read, principal, 'row').identities(sql`substr(${roleAssignment.holder}, 10)`)}`
          : eq(
              roleAssignment.holder,
              holderKey({ identity: (await findIdentity(context, principal, query.identity)).serviceId }),
            );
      return await listPage(query, all(eq(roleAssignment.resourceUid, uid), holder));
    },

    async listOfIdentity(principal, identity, query) {
      const { serviceId } = await findIdentity(context, principal, identity);
      const { resource } = query;
      const named = resource
        ? sql`${roleAssignment.resourceUid} in (select uid from resource where uid = ${resource} or resource_id = ${resource})`
        : undefined;
      return await listPage(
        query,
        all(
          eq(roleAssignment.holder, holderKey({ identity: serviceId })),
          visibilityOf(read, principal, 'row').resources(roleAssignment.resourceUid),
          named,
        ),
      );
    },

    async create(principal, input, claim) {
      const resource = await demandOn(context, principal, 'manage', {
        id: input.resource,
        pointer: '/resource',
      });
      const row = await findRole(input.role, 'IDENTITY');
      const { serviceId } = await findIdentity(context, principal, input.identity, {
        pointer: '/identity',
        invitedTo: resource.uid,
      });
      await demandHeld(context, principal, row, resource.uid);
      return await once(store, { claim, status: 201 }, async (tx) => {
        const holder = holderKey({ identity: serviceId });
        const added = await addAssignment(tx, holder, resource.uid, row.uid, now());
        await record(tx, principal, 'assign-role', resource.uid, row.name, serviceId);
        return only(await resourceIdentityRoleViews(tx, [added]));
      });
    },

    async remove(principal, resourceId, serviceId, name) {
      const resource = await findResource(context, principal, { id: resourceId });
      // Everybody may give up a role of their own.
      if (serviceId !== principal.serviceId) {
        await demandEvenArchived(context, principal, `${typeOf(resource)}:manage`, resource.uid);
      }
      await store.transaction(async (tx) => {
        await bumpAccess(tx);
        const [held] = await tx.all<{ id: number }>(
          `select a.id from role_assignment a join role r on r.uid = a.role_uid
            where a.holder = $1 and a.resource_uid = $2 and r.role_type = 'IDENTITY' and r.name = $3`,
          [holderKey({ identity: serviceId }), resource.uid, name],
        );
        if (held === undefined) throw notFound('role of this identity on this resource');
        await keepAnAdministrator(tx, { assignment: held.id });
        const scheduled = await tx.db
          .insert(tx.t.roleDeletion)
          .values({
            id: await nextId(tx, 'role_deletion'),
            assignmentId: held.id,
            requestedBy: principal.serviceId,
            createdAt: now(),
          })
          .onConflictDoNothing({ target: tx.t.roleDeletion.assignmentId })
          .returning({ id: tx.t.roleDeletion.id });
        if (scheduled.length > 0) await record(tx, principal, 'revoke-role', resource.uid, name, serviceId);
      });
      // It is accepted; what fails from here on is made up for by the next sweep.
      await sweep().catch((error: unknown) => {
        logger.error({ error: error instanceof Error ? error.message : 'unknown' }, 'a role did not end yet');
      });
    },

    sweep,
  };
}

/** @throws Problem `already-exists` */
async function addAssignment(
  tx: Tx,
  holder: string,
  resourceUid: string,
  roleUid: string,
  now: number,
): Promise<AssignmentRow> {
  await bumpAccess(tx);
  const { roleAssignment, resource } = tx.t;
  const there = await tx.db.select({ uid: resource.uid }).from(resource).where(eq(resource.uid, resourceUid));
  if (there.length === 0) throw notFound('resource');
  const [added] = await tx.db
    .insert(roleAssignment)
    .values({ id: await nextId(tx, 'role_assignment'), holder, resourceUid, roleUid, createdAt: now })
    .onConflictDoNothing({
      target: [roleAssignment.holder, roleAssignment.resourceUid, roleAssignment.roleUid],
    })
    .returning();
  if (added === undefined) throw new Problem('already-exists', 'This role is held already.');
  return added;
}

async function endRole(tx: Tx, id: number, now: number, logger: AdminContext['logger']): Promise<void> {
  await bumpAccess(tx);
  const { roleDeletion, roleAssignment, role } = tx.t;
  const [scheduled] = await tx.db.delete(roleDeletion).where(eq(roleDeletion.id, id)).returning();
  if (scheduled === undefined) return;
  try {
    await keepAnAdministrator(tx, { assignment: scheduled.assignmentId });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // Another administrator left in between.
    logger.error({ assignment: scheduled.assignmentId }, 'the last administrator keeps the role');
    return;
  }
  const [ended] = await tx.db
    .delete(roleAssignment)
    .where(eq(roleAssignment.id, scheduled.assignmentId))
    .returning();
  if (ended === undefined) return;
  const [its] = await tx.db.select().from(role).where(eq(role.uid, ended.roleUid));
  const targetObject = `${its?.name ?? ''} ${ended.holder.replace('identity:', '')}`;
  const change = { action: 'role-ended', service, targetObject } as const;
  await recordChange(tx, serviceItself, ended.resourceUid, change, now);
}

function only<T>(views: readonly T[]): T {
  const [view] = views;
  if (view === undefined) throw notFound('record');
  return view;
}
