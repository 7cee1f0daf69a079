import type { Queries, Tables } from '@ledger-ops/store';
import { inArray } from 'drizzle-orm';
import { z } from 'zod';
import { permissions } from '../access/permissions.ts';
import { typeOf } from '../access/resource-type.ts';
import { resourceTypes } from '../types.ts';
import type { ResourceRow } from './find.ts';

const id = z.int();
const milliseconds = z.int().describe('Milliseconds since the epoch.');

/** A resource (section 2.9). */
export const resourceRecord = z
  .object({
    resourceID: z.string(),
    resourceUUID: z.string(),
    type: z.object({ id, name: z.enum(resourceTypes) }),
    properties: z.array(z.object({ id, name: z.string(), value: z.string() })),
    parentId: z.string().nullable().describe('resourceUUID of the resource above it; null: the system.'),
  })
  .meta({ id: 'Resource' });
export type ResourceView = z.infer<typeof resourceRecord>;

/** A role (section 2.9). */
export const roleRecord = z
  .object({
    description: z.string(),
    id,
    name: z.string(),
    permissions: z.array(z.object({ action: z.string(), id })),
    roleType: z.enum(['IDENTITY', 'APP']),
  })
  .meta({ id: 'Role' });
export type RoleView = z.infer<typeof roleRecord>;

/** How a role of somebody names them. */
export const identityName = z
  .object({ serviceId: z.string(), identifier: z.string() })
  .meta({ id: 'IdentityName' });
/** How a role of an application names it. */
export const appName = z.object({ appId: z.string(), name: z.string() }).meta({ id: 'AppName' });

/** A role of an identity on a resource (section 2.9). */
export const resourceIdentityRoleRecord = z
  .object({ id, identity: identityName, resource: resourceRecord, role: roleRecord })
  .meta({ id: 'ResourceIdentityRole' });
export type ResourceIdentityRoleView = z.infer<typeof resourceIdentityRoleRecord>;

/** A role of an identity on an app, or of an app on a resource: then there is no identity (section 2.9). */
export const appIdentityRoleRecord = z
  .object({ id, identity: identityName.nullable(), app: appName, role: roleRecord })
  .meta({ id: 'AppIdentityRole' });
export type AppIdentityRoleView = z.infer<typeof appIdentityRoleRecord>;

/** An identity (section 2.9). */
export const identityRecord = z
  .object({
    dateCreated: milliseconds,
    dateUpdated: milliseconds,
    id,
    identifier: z.string(),
    identityProfile: z.object({ displayName: z.string().nullable(), imageURL: z.string().nullable() }),
    serviceId: z.string(),
    status: z.enum(['ENABLED', 'DISABLED', 'LOCKED', 'PENDING']),
    type: z.enum(['USER', 'SERVICE', 'SAML']),
  })
  .meta({ id: 'Identity' });
export type IdentityView = z.infer<typeof identityRecord>;

const typeIds = new Map(resourceTypes.map((name, index) => [name, index + 1]));
const permissionIds = new Map<string, number>(
  permissions.map(({ permission }, index) => [permission, index + 1]),
);
const roleTypes = z.enum(['IDENTITY', 'APP']);
const permissionList = z.array(z.string());

/** Permissions of a role's row. */
export function permissionsOf(row: Pick<Tables['role']['$inferSelect'], 'permissions'>): string[] {
  return permissionList.parse(JSON.parse(row.permissions));
}

/** Makes the record of a role. */
export function roleView(row: Tables['role']['$inferSelect']): RoleView {
  return {
    description: row.description,
    id: row.id,
    name: row.name,
    permissions: permissionsOf(row).map((action) => ({ action, id: permissionIds.get(action) ?? 0 })),
    roleType: roleTypes.parse(row.roleType),
  };
}

/** Makes the records of resources, with their properties. */
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
    resourceID: row.resourceId,
    resourceUUID: row.uid,
    type: { id: typeIds.get(typeOf(row)) ?? 0, name: typeOf(row) },
    properties: (properties.get(row.uid) ?? []).map(({ id, name, value }) => ({ id, name, value })),
    parentId: row.parentUid,
  }));
}

/** A row of roles held. */
export type AssignmentRow = Tables['roleAssignment']['$inferSelect'];

/** Makes the records of roles that identities hold on resources. */
export async function resourceIdentityRoleViews(
  queries: Queries,
  rows: readonly AssignmentRow[],
): Promise<ResourceIdentityRoleView[]> {
  const parts = await loadParts(queries, rows);
  return rows.flatMap((row) => {
    const identity = parts.identities.get(row.holder);
    const resource = parts.resources.get(row.resourceUid);
    const role = parts.roles.get(row.roleUid);
    // Deleted since the row was read.
    if (identity === undefined || resource === undefined || role === undefined) return [];
    return [{ id: row.id, identity, resource, role }];
  });
}

/** Makes the records of roles that identities hold on apps. */
export async function appIdentityRoleViews(
  queries: Queries,
  rows: readonly AssignmentRow[],
): Promise<AppIdentityRoleView[]> {
  const parts = await loadParts(queries, rows);
  const apps = await appNames(
    queries,
    rows.map((row) => row.resourceUid),
  );
  return rows.flatMap((row) => {
    const identity = parts.identities.get(row.holder);
    const app = apps.get(row.resourceUid);
    const role = parts.roles.get(row.roleUid);
    return identity === undefined || app === undefined || role === undefined
      ? []
      : [{ id: row.id, identity, app, role }];
  });
}

/** Makes the records of roles that apps hold on resources. */
export async function appRoleViews(
  queries: Queries,
  rows: readonly AssignmentRow[],
): Promise<AppIdentityRoleView[]> {
  const parts = await loadParts(queries, rows);
  const apps = await appNames(
    queries,
    rows.map((row) => row.holder.replace(/^app:/, '')),
  );
  return rows.flatMap((row) => {
    const app = apps.get(row.holder.replace(/^app:/, ''));
    const role = parts.roles.get(row.roleUid);
    return app === undefined || role === undefined ? [] : [{ id: row.id, identity: null, app, role }];
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
    resources: new Map(views.map((view) => [view.resourceUUID, view])),
    roles: new Map(roles.map((row) => [row.uid, roleView(row)])),
  };
}

/** Names of applications by their uid. */
export async function appNames(
  queries: Queries,
  uids: readonly string[],
): Promise<Map<string, { appId: string; name: string }>> {
  if (uids.length === 0) return new Map();
  const { app } = queries.t;
  const rows = await queries.db
    .select({ uid: app.uid, appId: app.appId, name: app.name })
    .from(app)
    .where(inArray(app.uid, [...uids]));
  return new Map(rows.map(({ uid, appId, name }) => [uid, { appId, name }]));
}
