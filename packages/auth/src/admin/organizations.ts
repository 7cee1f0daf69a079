import type { ListResult, Paging } from '@ledger-ops/base';
import { type IdempotencyClaim, once, type Queries, type Tables } from '@ledger-ops/store';
import { eq, inArray, sql } from 'drizzle-orm';
import { holderKey } from '../access/role-assignments.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { demandOn, demandSystem, findResource, notFound } from './find.ts';
import {
  type ImageInput,
  imageOwner,
  imageUidOf,
  imageUrls,
  readImage,
  storeImage,
} from './images/images.ts';
import { listRecords } from './listing.ts';
import { all, any, visibilityOf, whether } from './visibility.ts';

export interface OrganizationView {
  id: number;
  uid: string;
  organizationId: string;
  name: string;
  imageUrl: string | null;
}

/** Organizations, directly below the system. */
export interface Organizations {
  /**
   * Returns the organizations that the caller may read. Unless `all` is set, only those in which the caller
   * itself holds a role: on the organization or on anything below it.
   */
  list(
    principal: Principal,
    query: Paging & { resourceId?: string | undefined; all: boolean; archived?: boolean | undefined },
  ): Promise<ListResult<OrganizationView>>;
  /**
   * Needs `organization:create` on the installation.
   *
   * @param assign whether the caller gets the role `owner` on it
   * @throws Problem `not-permitted`, `already-exists`, `invalid-request`
   */
  create(
    principal: Principal,
    input: { name: string; organizationId?: string | undefined },
    assign: boolean,
    claim?: IdempotencyClaim,
  ): Promise<OrganizationView>;
  /** @throws Problem `not-found` */
  get(principal: Principal, organizationId: string): Promise<OrganizationView>;
  /** @throws Problem `not-found`, `not-permitted`, `invalid-request` */
  setImage(principal: Principal, organizationId: string, image: ImageInput): Promise<OrganizationView>;
}

export function createOrganizations(context: AdminContext): Organizations {
  const { store, auth, now, baseUrl } = context;
  const service = 'organization-projects';
  const { read } = store;
  const { organization } = read.t;

  const one = async (queries: Queries, uid: string): Promise<OrganizationView> => {
    const [view] = await organizationViews(queries, [uid], baseUrl);
    if (view === undefined) throw notFound('organization');
    return view;
  };

  return {
    async list(principal, query) {
      const { resourceId } = query;
      const holder = holderKey({ identity: principal.serviceId });
      const member = sql`${organization.uid} in (select c.ancestor_uid from role_assignment a join resource_ancestor c on c.resource_uid = a.resource_uid where a.holder = ${holder})`;
      return await listRecords(
        read,
        {
          table: organization,
          columns: {
            id: organization.id,
            name: organization.name,
            organizationId: organization.organizationId,
            uid: organization.uid,
            imageUrl: imageUidOf(read, organization.uid),
            createdAt: organization.createdAt,
          },
          tieBreaker: organization.id,
          where: all(
            visibilityOf(read, principal, 'set').resources(organization.uid, 'organization'),
            whether(query.archived, organization.uid),
            query.all ? undefined : member,
            resourceId
              ? any(eq(organization.organizationId, resourceId), eq(organization.uid, resourceId))
              : undefined,
          ),
          present: (rows) => present(read, rows, baseUrl),
        },
        query,
      );
    },

    async create(principal, { name, organizationId }, assign, claim) {
      await demandSystem(context, principal, 'organization:create');
      return await once(store, { claim, status: 201 }, async (tx) => {
        const { uid } = await auth.createOrganization(tx, {
          name,
          ...(organizationId === undefined ? {} : { organizationId }),
          ...(assign ? { owner: principal.serviceId } : {}),
        });
        await recordChange(tx, principal, uid, { action: 'create', service, targetObject: name }, now());
        return await one(tx, uid);
      });
    },

    async get(principal, organizationId) {
      const { uid } = await findResource(context, principal, { id: organizationId, type: 'organization' });
      return await one(read, uid);
    },

    async setImage(principal, organizationId, input) {
      const sought = { id: organizationId, type: 'organization' } as const;
      const { uid } = await demandOn(context, principal, 'update', sought);
      const image = readImage(input);
      return await store.transaction(async (tx) => {
        await storeImage(tx, imageOwner.resource(uid), image, now());
        await recordChange(tx, principal, uid, { action: 'update-image', service }, now());
        return await one(tx, uid);
      });
    },
  };
}

/** Returns the records of the organizations with these uids. Omits unknown uids. */
export async function organizationViews(
  queries: Queries,
  uids: readonly string[],
  baseUrl: string,
): Promise<OrganizationView[]> {
  if (uids.length === 0) return [];
  const { organization } = queries.t;
  const rows = await queries.db
    .select()
    .from(organization)
    .where(inArray(organization.uid, [...uids]));
  return await present(queries, rows, baseUrl);
}

async function present(
  queries: Queries,
  rows: readonly Tables['organization']['$inferSelect'][],
  baseUrl: string,
): Promise<OrganizationView[]> {
  const images = await imageUrls(
    queries,
    rows.map(({ uid }) => imageOwner.resource(uid)),
    baseUrl,
  );
  return rows.map(({ uid, id, name, organizationId }) => ({
    id,
    uid,
    organizationId,
    name,
    imageUrl: images.get(imageOwner.resource(uid)) ?? null,
  }));
}
