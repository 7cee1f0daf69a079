import type { Queries, Tables } from '@ledger-ops/store';
import { inArray } from 'drizzle-orm';
import { z } from 'zod';
import { typeOf } from '../access/resource-type.ts';
import type { RoleType } from '../access/roles.ts';
import type { ResourceType } from '../types.ts';
import type { ResourceRow } from './find.ts';

export interface ResourceView {
  uid: string;
  resourceId: string;
  type: ResourceType;
  /** Uid of the parent resource; null for the system. */
  parentUid: string | null;
  properties: { id: number; name: string; value: string }[];
}

export interface RoleView {
  id: number;
  name: string;
  /** Type of its holders. */
  roleType: RoleType;
  description: string;
  permissions: string[];
}

/** The identity of a role assignment. */
export interface IdentityName {
  serviceId: string;
  identifier: string;
}

/** The application of a role assignment. */
export interface AppName {
  appId: string;
  name: string;
}

/** A role of an identity on a resource. */
export interface RoleGrantView {
  id: number;
  identity: IdentityName;
  resource: ResourceView;
  role: RoleView;
}

/** A role of an identity on an app, or of an app on a resource. In the second case `identity` is null. */
export interface AppRoleGrantView {
  id: number;
  identity: IdentityName | null;
  app: AppName;
  resource: ResourceView;
  role: RoleView;
}

const roleTypes = z.enum(['IDENTITY', 'APP']);
const permissionList = z.array(z.string());

export function permissionsOf(row: Pick<Tables['role']['$inferSelect'], 'permissions'>): string[] {
  return permissionList.parse(JSON.parse(row.permissions));
}

export function roleView(row: Tables['role']['$inferSelect']): RoleView {
  return {
    description: row.description,
    id: row.id,
    name: row.name,
    permissions: permissionsOf(row),
    roleType: roleTypes.parse(row.roleType),
  };
}

export async function resourceViews(queries: Queries, rows: readonly ResourceRow[]): Promise<ResourceView[]> {
  if (rows.length === 0) return [];
  const { resourceProperty } = queries.t;
  const uids = rows.map(({ uid }) => uid);
  const found = await queries.db
    .select()
    .from(resourceProperty)
    .where(inArray(resourceProperty.resourceUid, uids))
    .orderBy(resourceProperty.id);
  const properties = Map.groupBy(found, ({ resourceUid }) => resourceUid);
  return rows.map((row) => ({
    uid: row.uid,
    resourceId: row.resourceId,
    type: typeOf(row),
    parentUid: row.parentUid,
    properties: (properties.get(row.uid) ?? []).map(({ id, name, value }) => ({ id, name, value })),
  }));
}

export type AssignmentRow = Tables['roleAssignment']['$inferSelect'];

export async function roleGrantViews(
  queries: Queries,
  rows: readonly AssignmentRow[],
): Promise<RoleGrantView[]> {
  const parts = await loadParts(queries, rows);
  return rows.flatMap((row) => {
    const identity = parts.identities.get(row.holder);
    const resource = parts.resources.get(row.resourceUid);
    const role = parts.roles.get(row.roleUid);
    // Skips rows whose identity, resource or role was deleted after the rows were read.
    if (identity === undefined || resource === undefined || role === undefined) return [];
    return [{ id: row.id, identity, resource, role }];
  });
}

export async function appIdentityGrantViews(
  queries: Queries,
  rows: readonly AssignmentRow[],
): Promise<AppRoleGrantView[]> {
  const parts = await loadParts(queries, rows);
  const apps = await appNames(
    queries,
    rows.map((row) => row.resourceUid),
  );
  return rows.flatMap((row) => {
    const identity = parts.identities.get(row.holder);
    const app = apps.get(row.resourceUid);
    const resource = parts.resources.get(row.resourceUid);
    const role = parts.roles.get(row.roleUid);
    return identity === undefined || app === undefined || resource === undefined || role === undefined
      ? []
      : [{ id: row.id, identity, app, resource, role }];
  });
}

export async function appRoleGrantViews(
  queries: Queries,
  rows: readonly AssignmentRow[],
): Promise<AppRoleGrantView[]> {
  const parts = await loadParts(queries, rows);
  const apps = await appNames(
    queries,
    rows.map((row) => row.holder.replace(/^app:/, '')),
  );
  return rows.flatMap((row) => {
    const app = apps.get(row.holder.replace(/^app:/, ''));
    const resource = parts.resources.get(row.resourceUid);
    const role = parts.roles.get(row.roleUid);
    return app === undefined || resource === undefined || role === undefined
      ? []
      : [{ id: row.id, identity: null, app, resource, role }];
  });
}

async function loadParts(queries: Queries, rows: readonly AssignmentRow[]) {
  const { identity, resource, role } = queries.t;
  const serviceIds = rows.flatMap(({ holder }) => (holder.startsWith('identity:') ? [holder.slice(9)] : []));
  const uids = rows.map((row) => row.resourceUid);
  const roleUids = [...new Set(rows.map((row) => row.roleUid))];
  const [identities, resources, roles] = await Promise.all([
    serviceIds.length === 0
      ? []
      : queries.db.select().from(identity).where(inArray(identity.serviceId, serviceIds)),
    uids.length === 0 ? [] : queries.db.select().from(resource).where(inArray(resource.uid, uids)),
    roleUids.length === 0 ? [] : queries.db.select().from(role).where(inArray(role.uid, roleUids)),
  ]);
  const views = await resourceViews(queries, resources);
  return {
    identities: new Map(
      identities.map(({ serviceId, identifier }) => [`identity:${serviceId}`, { serviceId, identifier }]),
    ),
    resources: new Map(views.map((view) => [view.uid, view])),
    roles: new Map(roles.map((row) => [row.uid, roleView(row)])),
  };
}

/** Returns the names of applications, by uid. */
export async function appNames(queries: Queries, uids: readonly string[]): Promise<Map<string, AppName>> {
  if (uids.length === 0) return new Map();
  const { app } = queries.t;
  const rows = await queries.db
    .select({ uid: app.uid, appId: app.appId, name: app.name })
    .from(app)
    .where(inArray(app.uid, [...uids]));
  return new Map(rows.map(({ uid, appId, name }) => [uid, { appId, name }]));
}
