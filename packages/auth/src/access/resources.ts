import { invalidRequest, Problem } from '@ledger-ops/base';
import { nextId, type Queries, type Tx } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { removeRecords } from '../storage/records.ts';
import { countResource, uncountResource } from '../storage/usage.ts';
import type { NewResource, ResourceType } from '../types.ts';
import { bumpAccess } from './access-version.ts';
import { giveRole } from './role-assignments.ts';
import { ownerRole } from './roles.ts';
import { systemUid } from './system-uid.ts';

/**
 * Adds a resource below its parent, and gives its owner the owner role on it.
 *
 * @param pointer JSON pointer of the parent in the request
 * @throws Problem `invalid-request` (the parent is missing or unknown), `already-exists`, `storage-limit`
 */
export async function addResource(
  tx: Tx,
  resource: NewResource,
  now: number,
  pointer = '/parentId',
): Promise<void> {
  await bumpAccess(tx);
  const { uid, resourceId, type, parentUid, pointer: idPointer = '/id' } = resource;
  if (type === 'system') {
    throw invalidRequest([
      { pointer: '/type', detail: 'there is only one system resource, which is created at the first start' },
    ]);
  }
  if (parentUid === null || !(await exists(tx, parentUid))) {
    throw invalidRequest([{ pointer, detail: `a ${type} needs an existing parent resource` }]);
  }
  const added = await tx.db
    .insert(tx.t.resource)
    .values({
      uid,
      id: await nextId(tx, 'resource'),
      resourceId,
      type,
      parentUid,
      idScope: await idScope(tx, type, parentUid),
      createdAt: now,
    })
    .onConflictDoNothing()
    .returning({ uid: tx.t.resource.uid });
  if (added.length === 0) {
    throw new Problem('already-exists', `A ${type} with the id ${resourceId} already exists here.`, {
      errors: [{ pointer: idPointer, detail: 'already exists' }],
    });
  }
  await placeBelow(tx, { uid, type, parentUid });
  await countResource(tx, uid, type);
  if (resource.owner !== undefined) {
    await giveRole(tx, { holder: { identity: resource.owner }, role: ownerRole, resourceUid: uid }, now);
  }
}

/**
 * Deletes a resource and the roles on it. Does nothing if the resource does not exist.
 *
 * @throws Problem `in-use` if there are resources below it
 */
export async function dropResource(tx: Tx, uid: string): Promise<void> {
  await bumpAccess(tx);
  const { resource, roleAssignment } = tx.t;
  const below = await tx.db
    .select({ type: resource.type, resourceId: resource.resourceId })
    .from(resource)
    .where(eq(resource.parentUid, uid))
    .limit(1);
  if (below[0] !== undefined) {
    throw new Problem(
      'in-use',
      `The ${below[0].type} ${below[0].resourceId} is under this resource. Delete everything under the resource first.`,
    );
  }
  await uncountResource(tx, uid);
  const roles = await tx.db
    .delete(roleAssignment)
    .where(eq(roleAssignment.resourceUid, uid))
    .returning({ id: roleAssignment.id });
  await removeRecords(tx, uid, 'roles', roles.length);
  await tx.db.delete(tx.t.invitationRole).where(eq(tx.t.invitationRole.resourceUid, uid));
  const { resourceProperty, lookupTerm } = tx.t;
  const properties = await tx.db
    .delete(resourceProperty)
    .where(eq(resourceProperty.resourceUid, uid))
    .returning({ id: resourceProperty.id });
  const terms = await tx.db
    .delete(lookupTerm)
    .where(eq(lookupTerm.resourceUid, uid))
    .returning({ id: lookupTerm.id });
  await removeRecords(tx, uid, 'details', properties.length + terms.length);
  await tx.db.delete(tx.t.resourceAncestor).where(eq(tx.t.resourceAncestor.resourceUid, uid));
  await tx.db.delete(resource).where(eq(resource.uid, uid));
}

/** Whether another resource already has the id. The scope in which ids are unique depends on the type. */
export async function isTaken(
  queries: Queries,
  { type, parentUid, resourceId }: Pick<NewResource, 'type' | 'parentUid' | 'resourceId'>,
): Promise<boolean> {
  const { resource } = queries.t;
  const rows = await queries.db
    .select({ uid: resource.uid })
    .from(resource)
    .where(
      and(
        eq(resource.idScope, await idScope(queries, type, parentUid ?? systemUid)),
        eq(resource.resourceId, resourceId),
      ),
    );
  return rows.length > 0;
}

/**
 * Wallets and cloud wallets share one scope: the same permissions govern both, and both are found by the same
 * ids.
 */
async function idScope(queries: Queries, type: ResourceType, parentUid: string): Promise<string> {
  const [project] = await queries.all<{ uid: string }>(
    `select r.uid from resource_ancestor c join resource r on r.uid = c.ancestor_uid
      where c.resource_uid = $1 and r.type = 'project'`,
    [parentUid],
  );
  return `${project?.uid ?? parentUid}/${type === 'wallet' ? 'cloud-wallet' : type}`;
}

/** Records a new resource with all its ancestors; `parentUid` is null for the system resource. */
export async function placeBelow(
  tx: Tx,
  { uid, type, parentUid }: Pick<NewResource, 'uid' | 'type' | 'parentUid'>,
): Promise<void> {
  await tx.run(
    'insert into resource_ancestor (resource_uid, ancestor_uid, type, depth) values ($1, $1, $2, 0)',
    [uid, type],
  );
  if (parentUid === null) return;
  await tx.run(
    `insert into resource_ancestor (resource_uid, ancestor_uid, type, depth)
     select $1, ancestor_uid, $3, depth + 1 from resource_ancestor where resource_uid = $2`,
    [uid, parentUid, type],
  );
}

async function exists(tx: Tx, uid: string): Promise<boolean> {
  const rows = await tx.db
    .select({ uid: tx.t.resource.uid })
    .from(tx.t.resource)
    .where(eq(tx.t.resource.uid, uid));
  return rows.length > 0;
}
