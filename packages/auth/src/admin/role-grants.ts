import { type ListResult, type Paging, Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, nextId, once, type Queries, type Tables, type Tx } from '@ledger-ops/store';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { bumpAccess } from '../access/access-version.ts';
import { typeOf } from '../access/resource-type.ts';
import { holderKey } from '../access/role-assignments.ts';
import type { RoleType } from '../access/roles.ts';
import { addRecords, removeRecords } from '../storage/records.ts';
import { serviceItself } from '../timeline/record-activity.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { Principal } from '../types.ts';
import { keepAnAdministrator } from './administrators.ts';
import type { AdminContext } from './context.ts';
import { demandHeld } from './demand-held.ts';
import { demandEvenArchived, demandOn, findResource, notFound, unknownRole } from './find.ts';
import { findIdentity } from './find-identity.ts';
import { countOpenInvitations, withdrawOffers } from './invitations/withdraw-offers.ts';
import { listRecords } from './listing.ts';
import {
  type AppRoleGrantView,
  type AssignmentRow,
  appIdentityGrantViews,
  appNames,
  appRoleGrantViews,
  type RoleGrantView,
  type RoleView,
  roleGrantViews,
  roleView,
} from './records.ts';
import { all, visibilityOf } from './visibility.ts';

/** Roles that an identity or application holds above a resource, and that also apply to it. */
export interface InheritedGrants<Grant = RoleGrantView> {
  /** Assignments on parent resources that the caller may read. */
  readonly inherited: readonly Grant[];
}

/** Role assignments of an identity or application on a resource and below it. */
export interface BelowGrants<Grant = RoleGrantView> extends InheritedGrants<Grant> {
  readonly count: number;
  /** The oldest assignments, at most {@link mostNamed}. */
  readonly grants: readonly Grant[];
}

/** Role assignments of an identity that remain after one is revoked. */
export interface RemainingGrants extends BelowGrants {
  /** Number of open invitations that offer the identity a role on the resource or below it. */
  readonly openInvitations: number;
}

/** Result of revoking all roles of an application. */
export interface RevokedAppRoles extends InheritedGrants<AppRoleGrantView> {
  readonly revoked: number;
}

/** Result of revoking all roles of an identity. */
export interface RevokedRoles extends InheritedGrants {
  readonly revoked: number;
  /** Number of open invitations that no longer offer roles on the resource or below it. */
  readonly withdrawnInvitations: number;
}

const service = 'resource-manager';
/** Maximum number of remaining assignments in a response. */
const mostNamed = 100;
/** Number of assignments removed per transaction. */
const batch = 200;
type RoleRow = Tables['role']['$inferSelect'];

/** An identity or application that loses roles. */
interface Loser {
  /** Value of `role_assignment.holder`. */
  readonly key: string;
  /** serviceId or appId. */
  readonly name: string;
}

type HeldRole = { readonly id: number; readonly resourceUid: string; readonly name: string };

/** Role assignments of the holder $1 on the resource $2 and below it. */
const heldBelow = `role_assignment a join role r on r.uid = a.role_uid
  join resource_ancestor c on c.resource_uid = a.resource_uid
  where a.holder = $1 and c.ancestor_uid = $2`;

/** Roles and their assignments. */
export class RoleGrants {
  readonly #context: AdminContext;
  readonly #store: AdminContext['store'];
  readonly #now: AdminContext['now'];
  readonly #logger: AdminContext['logger'];
  readonly #read: AdminContext['store']['read'];
  readonly #roleAssignment;
  readonly #role;

  constructor(context: AdminContext) {
    this.#context = context;
    this.#store = context.store;
    this.#now = context.now;
    this.#logger = context.logger;
    const { read } = this.#store;
    this.#read = read;
    const { roleAssignment, role } = this.#read.t;
    this.#roleAssignment = roleAssignment;
    this.#role = role;
  }

  /** Returns all roles, or only those with one of the names, or of a type. */
  async listRoles(names: readonly string[], roleType?: RoleType): Promise<RoleView[]> {
    const rows = await this.#read.db
      .select()
      .from(this.#role)
      .where(
        and(
          names.length === 0 ? undefined : inArray(this.#role.name, [...names]),
          roleType === undefined ? undefined : eq(this.#role.roleType, roleType),
        ),
      )
      .orderBy(this.#role.id);
    return rows.map(roleView);
  }

  /** Roles of identities on an app. @throws Problem `not-found` */
  async listAppIdentityRoles(principal: Principal, appId: string): Promise<AppRoleGrantView[]> {
    const { uid } = await findResource(this.#context, principal, { id: appId, type: 'app' });
    const rows = await this.#read.db
      .select()
      .from(this.#roleAssignment)
      .where(
        and(eq(this.#roleAssignment.resourceUid, uid), sql`${this.#roleAssignment.holder} like 'identity:%'`),
      )
      .orderBy(this.#roleAssignment.id);
    return await appIdentityGrantViews(this.#read, rows);
  }

  /** @throws Problem `not-found`, `not-permitted`, `already-exists` */
  async createAppIdentityRole(
    principal: Principal,
    input: { serviceId: string; appId: string; role: string },
    claim?: IdempotencyClaim,
  ): Promise<AppRoleGrantView> {
    const app = await demandOn(this.#context, principal, 'manage', {
      id: input.appId,
      type: 'app',
      pointer: '/appId',
    });
    const row = await this.#findRole(input.role, 'IDENTITY');
    const { serviceId } = await findIdentity(this.#context, principal, input.serviceId, {
      pointer: '/serviceId',
      invitedTo: app.uid,
    });
    await demandHeld(this.#context, principal, row, app.uid);
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const added = await addAssignment(
        tx,
        holderKey({ identity: serviceId }),
        app.uid,
        row.uid,
        this.#now(),
      );
      await this.#record(tx, principal, 'assign-role', app.uid, row.name, serviceId);
      return only(await appIdentityGrantViews(tx, [added]));
    });
  }

  /** Roles of apps on a resource. @throws Problem `not-found` */
  async listAppRoles(principal: Principal, resourceId: string): Promise<AppRoleGrantView[]> {
    const { uid } = await findResource(this.#context, principal, { id: resourceId });
    const { app } = this.#read.t;
    const rows = await this.#read.db
      .select()
      .from(this.#roleAssignment)
      .where(
        and(
          eq(this.#roleAssignment.resourceUid, uid),
          sql`${this.#roleAssignment.holder} in (select 'app:' || ${app.uid} from ${app} where ${visibilityOf(this.#read, principal, 'set').resources(app.uid, 'app')})`,
        ),
      )
      .orderBy(this.#roleAssignment.id);
    return await appRoleGrantViews(this.#read, rows);
  }

  /** Replaces the roles of an app on a resource with this role. */
  async setAppRole(
    principal: Principal,
    resourceId: string,
    input: { appId: string; role: string },
  ): Promise<AppRoleGrantView> {
    const resource = await demandOn(this.#context, principal, 'manage', { id: resourceId });
    const app = await demandOn(this.#context, principal, 'manage', {
      id: input.appId,
      type: 'app',
      pointer: '/appId',
    });
    const row = await this.#findRole(input.role, 'APP');
    await demandHeld(this.#context, principal, row, resource.uid);
    const holder = holderKey({ app: app.uid });
    return await this.#store.transaction(async (tx) => {
      await bumpAccess(tx);
      const table = tx.t.roleAssignment;
      const held = await tx.db
        .select()
        .from(table)
        .where(and(eq(table.holder, holder), eq(table.resourceUid, resource.uid)));
      for (const one of held.filter(({ roleUid }) => roleUid !== row.uid)) {
        await keepAnAdministrator(tx, { assignment: one.id });
        await tx.db.delete(table).where(eq(table.id, one.id));
        await removeRecords(tx, resource.uid, 'roles', 1);
        const [before] = await tx.db.select().from(tx.t.role).where(eq(tx.t.role.uid, one.roleUid));
        await this.#record(tx, principal, 'revoke-role', resource.uid, before?.name ?? '', app.resourceId);
      }
      const same = held.find(({ roleUid }) => roleUid === row.uid);
      if (same !== undefined) return only(await appRoleGrantViews(tx, [same]));
      const added = await addAssignment(tx, holder, resource.uid, row.uid, this.#now());
      await this.#record(tx, principal, 'assign-role', resource.uid, row.name, app.resourceId);
      return only(await appRoleGrantViews(tx, [added]));
    });
  }

  /**
   * Returns the roles of all identities, or of one identity, directly on a resource. Omits inherited roles.
   */
  async listOnResource(
    principal: Principal,
    query: Paging & { resourceId: string; serviceId?: string | undefined },
  ): Promise<ListResult<RoleGrantView>> {
    const { uid } = await findResource(this.#context, principal, { id: query.resourceId });
    const holder =
      query.serviceId === undefined
        ? sql`${this.#roleAssignment.holder} like 'identity:%' and ${visibilityOf(this.#read, principal, 'row').identities(sql`substr(${this.#roleAssignment.holder}, 10)`)}`
        : eq(
            this.#roleAssignment.holder,
            holderKey({
              identity: (await findIdentity(this.#context, principal, query.serviceId)).serviceId,
            }),
          );
    return await this.#listPage(query, all(eq(this.#roleAssignment.resourceUid, uid), holder));
  }

  /** Returns an identity's roles on all resources that the caller may read. */
  async listOfIdentity(
    principal: Principal,
    id: string,
    query: Paging & { resourceId?: string | undefined },
  ): Promise<ListResult<RoleGrantView>> {
    const { serviceId } = await findIdentity(this.#context, principal, id);
    const { resourceId } = query;
    const named = resourceId
      ? sql`${this.#roleAssignment.resourceUid} in (select uid from resource where uid = ${resourceId} or resource_id = ${resourceId})`
      : undefined;
    return await this.#listPage(
      query,
      all(
        eq(this.#roleAssignment.holder, holderKey({ identity: serviceId })),
        visibilityOf(this.#read, principal, 'row').resources(this.#roleAssignment.resourceUid),
        named,
      ),
    );
  }

  /** @throws Problem `not-found`, `not-permitted`, `already-exists` */
  async create(
    principal: Principal,
    input: { serviceId: string; resourceId: string; role: string },
    claim?: IdempotencyClaim,
  ): Promise<RoleGrantView> {
    const resource = await demandOn(this.#context, principal, 'manage', {
      id: input.resourceId,
      pointer: '/resourceId',
    });
    const row = await this.#findRole(input.role, 'IDENTITY');
    const { serviceId } = await findIdentity(this.#context, principal, input.serviceId, {
      pointer: '/serviceId',
      invitedTo: resource.uid,
    });
    await demandHeld(this.#context, principal, row, resource.uid);
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const holder = holderKey({ identity: serviceId });
      const added = await addAssignment(tx, holder, resource.uid, row.uid, this.#now());
      await this.#record(tx, principal, 'assign-role', resource.uid, row.name, serviceId);
      return only(await roleGrantViews(tx, [added]));
    });
  }

  /**
   * Durably schedules the removal of an identity's role assignment, then removes it immediately if possible.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (the last administrator)
   */
  async remove(
    principal: Principal,
    resourceId: string,
    serviceId: string,
    role: string,
  ): Promise<RemainingGrants> {
    const { uid } = await this.#demandRemoval(principal, resourceId, serviceId);
    const loser = identityLoser(serviceId);
    await this.#removeOne(principal, loser, uid, role);
    const of = { serviceId, resourceUid: uid };
    return {
      ...(await this.#grantsBelow(principal, uid, loser, roleGrantViews)),
      openInvitations: await countOpenInvitations(this.#read, of, this.#now()),
    };
  }

  /**
   * Removes every role that the identity holds on the resource and below it, as `remove` does. Also withdraws
   * the roles on these resources that open invitations offer the identity.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (the last administrator)
   */
  async removeAll(principal: Principal, resourceId: string, serviceId: string): Promise<RevokedRoles> {
    const { uid } = await this.#demandRemoval(principal, resourceId, serviceId);
    const of = { serviceId, resourceUid: uid };
    // Invitations come first. If one is accepted before this, its roles are already assignments, which are removed below.
    const withdrawnInvitations = await this.#store.transaction(async (tx) => {
      await bumpAccess(tx);
      return await withdrawOffers(tx, of, principal, this.#now());
    });
    const loser = identityLoser(serviceId);
    const revoked = await this.#removeBelow(principal, loser, uid);
    const inherited = await this.#inheritedBy(principal, uid, loser, roleGrantViews);
    return { revoked, withdrawnInvitations, inherited };
  }

  /**
   * Removes a role of an application, as `remove` does.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (the last administrator)
   */
  async removeAppRole(
    principal: Principal,
    resourceId: string,
    appId: string,
    role: string,
  ): Promise<BelowGrants<AppRoleGrantView>> {
    const { uid, loser } = await this.#demandAppRemoval(principal, resourceId, appId);
    await this.#removeOne(principal, loser, uid, role);
    return await this.#grantsBelow(principal, uid, loser, appRoleGrantViews);
  }

  /**
   * Removes every role that the application holds on the resource and below it.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (the last administrator)
   */
  async removeAppRoles(principal: Principal, resourceId: string, appId: string): Promise<RevokedAppRoles> {
    const { uid, loser } = await this.#demandAppRemoval(principal, resourceId, appId);
    const revoked = await this.#removeBelow(principal, loser, uid);
    return { revoked, inherited: await this.#inheritedBy(principal, uid, loser, appRoleGrantViews) };
  }

  /** Removes the role assignments whose removal is scheduled. */
  async sweep(): Promise<void> {
    const { roleDeletion } = this.#read.t;
    const due = await this.#read.db.select({ id: roleDeletion.id }).from(roleDeletion).limit(100);
    for (const { id } of due)
      await this.#store.transaction((tx) => endRole(tx, id, this.#now(), this.#logger));
    if (due.length === 100) await this.sweep();
  }

  async #findRole(name: string, roleType: RoleType): Promise<RoleRow> {
    const [row] = await this.#read.db
      .select()
      .from(this.#role)
      .where(and(eq(this.#role.roleType, roleType), eq(this.#role.name, name)));
    if (row === undefined) throw unknownRole(name, roleType, '/role');
    return row;
  }

  async #listPage(query: Paging, where: ReturnType<typeof all>) {
    return await listRecords(
      this.#read,
      {
        table: this.#roleAssignment,
        columns: { id: this.#roleAssignment.id, createdAt: this.#roleAssignment.createdAt },
        tieBreaker: this.#roleAssignment.id,
        where,
        present: (rows) => roleGrantViews(this.#read, rows),
      },
      query,
    );
  }

  /** `holder`: serviceId or appId. */
  #record(
    tx: Tx,
    principal: Principal,
    action: 'assign-role' | 'revoke-role',
    resourceUid: string,
    role: string,
    holder: string,
  ) {
    return recordChange(
      tx,
      principal,
      resourceUid,
      { action, service, targetObject: `${role} ${holder}` },
      this.#now(),
    );
  }

  /** Requires the permission to remove roles of others. Callers may always remove their own roles. */
  async #demandRemoval(principal: Principal, resourceId: string, serviceId: string) {
    const resource = await findResource(this.#context, principal, { id: resourceId });
    if (serviceId !== principal.serviceId) {
      await demandEvenArchived(this.#context, principal, `${typeOf(resource)}:manage`, resource.uid);
    }
    return resource;
  }

  /** Requires the permission of every caller: unlike identities, applications are shared by many users. */
  async #demandAppRemoval(principal: Principal, resourceId: string, appId: string) {
    const resource = await findResource(this.#context, principal, { id: resourceId });
    const app = await findResource(this.#context, principal, { id: appId, type: 'app' });
    await demandEvenArchived(this.#context, principal, `${typeOf(resource)}:manage`, resource.uid);
    const loser: Loser = { key: holderKey({ app: app.uid }), name: app.resourceId };
    return { uid: resource.uid, loser };
  }

  async #removeOne(principal: Principal, loser: Loser, resourceUid: string, role: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await bumpAccess(tx);
      const [held] = await tx.all<HeldRole>(
        `select a.id, a.resource_uid as "resourceUid", r.name from role_assignment a join role r on r.uid = a.role_uid
            where a.holder = $1 and a.resource_uid = $2 and r.name = $3`,
        [loser.key, resourceUid, role],
      );
      if (held === undefined)
        throw notFound(`role of this ${isApp(loser.key) ? 'application' : 'identity'} on this resource`);
      await this.#schedule(tx, principal, loser, held);
    });
    await this.#sweepSoon();
  }

  /** Removes all roles on the resource and below it. Returns how many. */
  async #removeBelow(principal: Principal, loser: Loser, resourceUid: string): Promise<number> {
    let revoked = 0;
    for (let scheduled = batch; scheduled === batch; revoked += scheduled) {
      scheduled = await this.#store.transaction(async (tx) => {
        await bumpAccess(tx);
        const held = await tx.all<HeldRole>(
          `select a.id, a.resource_uid as "resourceUid", r.name from ${heldBelow}
                and not exists (select 1 from role_deletion d where d.assignment_id = a.id)
              order by a.id limit ${batch}`,
          [loser.key, resourceUid],
        );
        for (const one of held) await this.#schedule(tx, principal, loser, one);
        return held.length;
      });
    }
    await this.#sweepSoon();
    return revoked;
  }

  async #schedule(tx: Tx, principal: Principal, loser: Loser, held: HeldRole) {
    await keepAnAdministrator(tx, { assignment: held.id });
    const scheduled = await tx.db
      .insert(tx.t.roleDeletion)
      .values({
        id: await nextId(tx, 'role_deletion'),
        assignmentId: held.id,
        requestedBy: principal.serviceId,
        createdAt: this.#now(),
      })
      .onConflictDoNothing({ target: tx.t.roleDeletion.assignmentId })
      .returning({ id: tx.t.roleDeletion.id });
    if (scheduled.length > 0)
      await this.#record(tx, principal, 'revoke-role', held.resourceUid, held.name, loser.name);
  }

  /** Tries to remove the scheduled assignments now. If this fails, the next sweep removes them. */
  #sweepSoon() {
    return this.sweep().catch((error: unknown) => {
      this.#logger.error(
        { error: error instanceof Error ? error.message : 'unknown' },
        'could not remove a role assignment; will try again',
      );
    });
  }

  async #inheritedBy<Grant>(
    principal: Principal,
    resourceUid: string,
    { key }: Loser,
    present: Present<Grant>,
  ): Promise<Grant[]> {
    const uid = this.#roleAssignment.resourceUid;
    const rows = await this.#read.db
      .select()
      .from(this.#roleAssignment)
      .where(
        all(
          eq(this.#roleAssignment.holder, key),
          sql`${uid} in (select ancestor_uid from resource_ancestor where resource_uid = ${resourceUid} and depth > 0)`,
          visibilityOf(this.#read, principal, 'row').resources(uid),
        ),
      )
      .orderBy(this.#roleAssignment.id);
    return await present(this.#read, rows);
  }

  async #grantsBelow<Grant>(
    principal: Principal,
    resourceUid: string,
    loser: Loser,
    present: Present<Grant>,
  ): Promise<BelowGrants<Grant>> {
    const parameters = [loser.key, resourceUid];
    const [total] = await this.#read.all<{ count: number }>(
      `select count(*) as count from ${heldBelow}`,
      parameters,
    );
    const first = await this.#read.all<{ id: number }>(
      `select a.id from ${heldBelow} order by a.id limit ${mostNamed}`,
      parameters,
    );
    const rows = await this.#read.db
      .select()
      .from(this.#roleAssignment)
      .where(
        inArray(
          this.#roleAssignment.id,
          first.map(({ id }) => id),
        ),
      )
      .orderBy(this.#roleAssignment.id);
    return {
      count: Number(total?.count ?? 0),
      grants: await present(this.#read, rows),
      inherited: await this.#inheritedBy(principal, resourceUid, loser, present),
    };
  }
}

/** Converts assignments of one type of holder to views. */
type Present<Grant> = (queries: Queries, rows: readonly AssignmentRow[]) => Promise<Grant[]>;

function identityLoser(serviceId: string): Loser {
  return { key: holderKey({ identity: serviceId }), name: serviceId };
}

const appPrefix = holderKey({ app: '' });
const identityPrefix = holderKey({ identity: '' });

function isApp(holder: string): boolean {
  return holder.startsWith(appPrefix);
}

/** Returns the serviceId or appId of an assignment's holder. */
async function holderName(queries: Queries, holder: string): Promise<string> {
  if (!isApp(holder)) return holder.slice(identityPrefix.length);
  const uid = holder.slice(appPrefix.length);
  return (await appNames(queries, [uid])).get(uid)?.appId ?? uid;
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
  if (added === undefined) throw new Problem('already-exists', 'The role is already assigned.');
  await addRecords(tx, resourceUid, 'roles');
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
    // Another administrator lost the role in the meantime.
    logger.error({ assignment: scheduled.assignmentId }, 'the last administrator must keep the role');
    return;
  }
  const [ended] = await tx.db
    .delete(roleAssignment)
    .where(eq(roleAssignment.id, scheduled.assignmentId))
    .returning();
  if (ended === undefined) return;
  await removeRecords(tx, ended.resourceUid, 'roles', 1);
  const [its] = await tx.db.select().from(role).where(eq(role.uid, ended.roleUid));
  const targetObject = `${its?.name ?? ''} ${await holderName(tx, ended.holder)}`;
  const change = { action: 'role-ended', service, targetObject } as const;
  await recordChange(tx, serviceItself, ended.resourceUid, change, now);
}

function only<T>(views: readonly T[]): T {
  const [view] = views;
  if (view === undefined) throw notFound('record');
  return view;
}
