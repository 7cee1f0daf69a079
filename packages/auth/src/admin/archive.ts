import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import { bumpAccess } from '../access/access-version.ts';
import { typeOf } from '../access/resource-type.ts';
import { consoleAppUid } from '../console.ts';
import { endAppFamilies } from '../grants/refresh-families.ts';
import { type Change, recordChange } from '../timeline/record-change.ts';
import type { Principal } from '../types.ts';
import { canBeAdministered } from './administrators.ts';
import type { AdminContext } from './context.ts';
import { demandHeldBelow } from './demand-held.ts';
import { demandEvenArchived, findResource, type ResourceRow } from './find.ts';

/** Types of records that can be archived, together with everything below them. */
export type ArchivedType = 'organization' | 'project' | 'app' | 'service-account';

const services: Readonly<Record<ArchivedType, Change['service']>> = {
  organization: 'organization-projects',
  project: 'organization-projects',
  app: 'apps',
  'service-account': 'service-accounts',
};

/**
 * Archives organizations, projects, applications and service accounts. Archived resources and everything
 * below them are read-only: their tokens and keys are refused, no new work starts, and lists omit them.
 * Accepted actions continue until they complete.
 */
export interface Archive {
  /** Does nothing if it is already archived. @throws Problem `not-found`, `not-permitted`, `conflict` */
  archive(principal: Principal, type: ArchivedType, id: string): Promise<void>;
  /**
   * Restores a resource. Credentials that were not replaced become valid again, so the caller must hold
   * everything that they grant.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict`
   */
  restore(principal: Principal, type: ArchivedType, id: string): Promise<void>;
  /**
   * Returns the time at which each resource, or one of its ancestors, was archived. Omits resources that are
   * not archived.
   */
  times(uids: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export function createArchive(context: AdminContext): Archive {
  const { store, now } = context;

  const find = async (principal: Principal, type: ArchivedType, id: string): Promise<ResourceRow> => {
    const row = await findResource(context, principal, { id, type });
    await demandEvenArchived(context, principal, `${type}:delete`, row.uid);
    return row;
  };

  return {
    async archive(principal, type, id) {
      const { uid } = await find(principal, type, id);
      await store.transaction(async (tx) => {
        await bumpAccess(tx);
        await demandOthers(tx, principal, uid);
        const couldBe = await canBeAdministered(tx);
        const archived = await tx.run(
          'update resource set archived_at = $2 where uid = $1 and archived_at is null',
          [uid, now()],
        );
        if (archived === 0) return;
        if (couldBe && !(await canBeAdministered(tx))) {
          throw new Problem(
            'conflict',
            'This would leave the installation without an administrator. Grant the administrator role to another identity and application first.',
          );
        }
        await endAppFamilies(tx, uid, now());
        await recordChange(tx, principal, uid, { action: 'archive', service: services[type] }, now());
      });
    },

    async restore(principal, type, id) {
      const { uid } = await find(principal, type, id);
      await demandHeldBelow(context, principal, uid);
      await store.transaction(async (tx) => {
        await bumpAccess(tx);
        const [above] = await tx.all<{ type: string; resource_id: string }>(
          `select r.type, r.resource_id from resource_ancestor c join resource r on r.uid = c.ancestor_uid
            where c.resource_uid = $1 and c.depth > 0 and r.archived_at is not null order by c.depth desc limit 1`,
          [uid],
        );
        if (above !== undefined) {
          const name = `${typeOf(above)} ${above.resource_id}`;
          throw new Problem('conflict', `The ${name} above it is archived. Restore the ${name} first.`);
        }
        const restored = await tx.run(
          'update resource set archived_at = null where uid = $1 and archived_at is not null',
          [uid],
        );
        if (restored === 0) return;
        await recordChange(tx, principal, uid, { action: 'restore', service: services[type] }, now());
      });
    },

    async times(uids) {
      if (uids.length === 0) return new Map();
      const rows = await store.read.all<{ uid: string; at: number }>(
        `select c.resource_uid as uid, min(r.archived_at) as at
           from resource_ancestor c join resource r on r.uid = c.ancestor_uid
          where c.resource_uid in (${uids.map((_, at) => `$${at + 1}`).join(', ')}) and r.archived_at is not null
          group by c.resource_uid`,
        uids,
      );
      return new Map(rows.map(({ uid, at }) => [uid, Number(at)]));
    },
  };
}

/**
 * Callers cannot archive the console, or a resource that contains themselves or their application.
 * @throws Problem `conflict`
 */
async function demandOthers(tx: Tx, { appUid, serviceId }: Principal, uid: string): Promise<void> {
  const below = await tx.all<{ resource_uid: string }>(
    'select resource_uid from resource_ancestor where ancestor_uid = $1 and resource_uid in ($2, $3, $4)',
    [uid, appUid, serviceId, consoleAppUid],
  );
  const uids = below.map(({ resource_uid }) => resource_uid);
  if (uids.includes(consoleAppUid)) {
    throw new Problem(
      'conflict',
      "This resource is or contains the console's application, which cannot be archived.",
    );
  }
  if (uids.length > 0) {
    const what = uids.includes(serviceId) ? 'account' : 'application';
    throw new Problem(
      'conflict',
      `This resource is or contains the ${what} that sent this request. Use another ${what} to archive it.`,
    );
  }
}
