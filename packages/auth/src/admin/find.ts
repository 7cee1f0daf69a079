import { Problem } from '@ledger-ops/base';
import type { Queries, Tables } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { typeOf } from '../access/resource-type.ts';
import { systemUid } from '../access/system-uid.ts';
import type { Permission, Principal, ResourceType } from '../types.ts';
import type { AdminContext } from './context.ts';
import { all, any, visibilityOf } from './visibility.ts';

export type ResourceRow = Tables['resource']['$inferSelect'];

/** 404. The message is the same whether the record does not exist or the caller may not see it. */
export function notFound(what: string, pointer?: string): Problem {
  const detail = `The ${what} does not exist or is not visible to the caller.`;
  return new Problem(
    'not-found',
    detail,
    pointer === undefined ? {} : { errors: [{ pointer, detail: `the ${what} does not exist` }] },
  );
}

/** 404 for a role name. Roles for identities and roles for applications are separate. */
export function unknownRole(name: string, roleType: 'IDENTITY' | 'APP', pointer: string): Problem {
  const detail = `there is no role ${name} for ${roleType === 'APP' ? 'applications' : 'people and service accounts'}`;
  return new Problem('not-found', `T${detail.slice(1)}.`, { errors: [{ pointer, detail }] });
}

/** A resource to find. */
export interface Sought {
  /** resourceUUID or resourceID. */
  readonly id: string;
  readonly type?: ResourceType;
  /** JSON pointer of the id in a body; absent if it is in the path. */
  readonly pointer?: string;
}

/**
 * Finds the resource with an id among those that the caller may read. A resourceID is unique only per type
 * and project. Resources of the caller's project take precedence. Otherwise, the id must match exactly one
 * resource.
 *
 * @throws Problem `not-found`, `conflict` if the id matches several
 */
export async function findResource(
  { store: { read } }: Pick<AdminContext, 'store'>,
  principal: Principal,
  { id, type, pointer }: Sought,
): Promise<ResourceRow> {
  const rows = await visibleResources(read, principal, id, type);
  const [first] = rows;
  if (first === undefined) throw notFound(type ?? 'resource', pointer);
  const exact = rows.find(({ uid }) => uid === id);
  if (exact !== undefined) return exact;
  if (rows.length === 1) return first;
  const own = await read.all<{ resource_uid: string }>(
    `select c.resource_uid from resource_ancestor c join resource r on r.uid = c.resource_uid
      where c.ancestor_uid = $1 and r.resource_id = $2`,
    [principal.projectUid, id],
  );
  const near = rows.filter(({ uid }) => own.some((row) => row.resource_uid === uid));
  if (near.length === 1 && near[0] !== undefined) return near[0];
  const kinds = [...new Set(rows.map((row) => row.type))].join(', ');
  throw new Problem('conflict', `The id matches several resources (${kinds}). Use the resourceUUID.`, {
    ...(pointer === undefined
      ? {}
      : { errors: [{ pointer, detail: 'matches several resources; use the resourceUUID' }] }),
  });
}

/** Returns the visible resources with one of the ids. */
export async function findResources(
  { store: { read } }: Pick<AdminContext, 'store'>,
  principal: Principal,
  ids: readonly string[],
): Promise<{ id: string; row: ResourceRow }[]> {
  const found = await Promise.all(
    [...new Set(ids)].map(async (id) => ({ id, rows: await visibleResources(read, principal, id) })),
  );
  return found.flatMap(({ id, rows }) => {
    const exact = rows.filter(({ uid }) => uid === id);
    return (exact.length > 0 ? exact : rows).map((row) => ({ id, row }));
  });
}

async function visibleResources(
  read: Queries,
  principal: Principal,
  id: string,
  type?: ResourceType,
): Promise<ResourceRow[]> {
  const { resource } = read.t;
  return await read.db
    .select()
    .from(resource)
    .where(
      all(
        any(eq(resource.uid, id), eq(resource.resourceId, id)),
        type === undefined ? undefined : eq(resource.type, type),
        visibilityOf(read, principal, 'row').resources(resource.uid, type),
      ),
    )
    .orderBy(resource.id)
    .limit(50);
}

/**
 * Finds a resource and requires the permission with this verb on it.
 * @throws Problem `not-found`, `not-permitted`
 */
export async function demandOn(
  context: AdminContext,
  principal: Principal,
  verb: 'read' | 'update' | 'manage' | 'invite',
  sought: Sought,
): Promise<ResourceRow> {
  const row = await findResource(context, principal, sought);
  await context.auth.demand(principal, `${typeOf(row)}:${verb}`, row.uid);
  return row;
}

/**
 * Like `demand`, but allows archived resources. Used for archiving and restoring.
 *
 * @throws Problem `not-found`, `not-permitted`
 */
export async function demandEvenArchived(
  { auth }: Pick<AdminContext, 'auth'>,
  principal: Principal,
  permission: Permission,
  uid: string,
): Promise<void> {
  if ((await auth.holds(principal, [permission], uid)).result) return;
  await auth.demand(principal, permission, uid);
}

/**
 * Demands a permission on the installation itself. Never fails with `not-found`, because the existence of the
 * installation is not a secret.
 */
export async function demandSystem(
  { auth }: Pick<AdminContext, 'auth'>,
  principal: Principal,
  permission: 'system:manage' | 'organization:create',
): Promise<void> {
  const { result, missingAppPermissions, missingResourcePermissions } = await auth.decide(
    principal,
    [permission],
    systemUid,
  );
  if (result) return;
  throw new Problem('not-permitted', `You need ${permission} on the installation.`, {
    extensions: { missingAppPermissions, missingResourcePermissions },
  });
}
