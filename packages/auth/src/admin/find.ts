import { Problem } from '@ledger-ops/base';
import type { Queries, Tables } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { typeOf } from '../access/resource-type.ts';
import { systemUid } from '../access/resources.ts';
import type { Permission, Principal, ResourceType } from '../types.ts';
import type { AdminContext } from './context.ts';
import { all, any, visibilityOf } from './visibility.ts';

/** A resource as the database has it. */
export type ResourceRow = Tables['resource']['$inferSelect'];

/** 404: there is no such thing, or the caller may not see it; in either case the same words. */
export function notFound(what: string, pointer?: string): Problem {
  const detail = `There is no such ${what}, or it is not visible to the caller.`;
  return new Problem(
    'not-found',
    detail,
    pointer === undefined ? {} : { errors: [{ pointer, detail: `there is no such ${what}` }] },
  );
}

/** A resource that is looked for. */
export interface Sought {
  /** resourceUUID or resourceID. */
  readonly id: string;
  readonly type?: ResourceType;
  /** Where the id stands in a body; absent: in the path. */
  readonly pointer?: string;
}

/**
 * The resource that an id names among those that the caller may read. A resourceID is unique per type and
 * project only: the caller's project goes first, then what remains must be one.
 *
 * @throws Problem `not-found`, `conflict` when the id names several
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
  throw new Problem('conflict', `The id names several resources (${kinds}); use the resourceUUID.`, {
    ...(pointer === undefined
      ? {}
      : { errors: [{ pointer, detail: 'names several resources; use the resourceUUID' }] }),
  });
}

/** Every visible resource that one of the ids names; the others are left out. */
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

/** Finds a resource, and demands a permission on it by its verb. @throws Problem `not-found`, `not-permitted` */
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
 * As `demand`, of what is archived too: for who puts something away, or takes it out again.
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

/** Demands a permission of the installation itself: who lacks it knows that there is an installation. */
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
  throw new Problem('not-permitted', `${permission} is missing on the installation.`, {
    extensions: { missingAppPermissions, missingResourcePermissions },
  });
}
