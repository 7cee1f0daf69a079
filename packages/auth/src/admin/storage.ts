import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { systemUid } from '../access/system-uid.ts';
import { countDocuments } from '../storage/documents.ts';
import {
  isStorageLimit,
  type StorageLimitName,
  storageLimitEntries,
  storageLimits,
} from '../storage/limits.ts';
import { countRecordsOf, isRecordLimit } from '../storage/records.ts';
import { countRecords, countResources } from '../storage/usage.ts';
import { recordChange } from '../timeline/record-change.ts';
import { valueChanges } from '../timeline/value-changes.ts';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { demandOn } from './find.ts';

/** A limit of one organization and its usage. */
export interface StorageUsage {
  readonly limit: StorageLimitName;
  readonly description: string;
  readonly unit: 'records' | 'bytes';
  /**
   * For a limit per project or per subscription: the highest usage of a project or subscription. Null in the
   * limits of the installation.
   */
  readonly used: number | null;
  /** Id of the project or subscription whose usage is `used`. Null for other limits, and if nothing is stored. */
  readonly usedBy: string | null;
  readonly most: number;
  readonly setBy: 'default' | 'installation' | 'organization';
}

/** The highest fraction of a limit that any organization uses. */
export interface StorageState {
  readonly limit: StorageLimitName;
  readonly ratio: number;
}

/** Usage and limits of what organizations store. */
export interface Storage {
  /** @throws Problem `not-found` */
  ofOrganization(principal: Principal, organizationId: string): Promise<StorageUsage[]>;
  /**
   * Changes a limit of one organization; null restores the limit of the installation.
   *
   * @throws Problem `not-found`, `not-permitted`
   */
  setOfOrganization(
    principal: Principal,
    organizationId: string,
    limit: string,
    most: number | null,
  ): Promise<StorageUsage[]>;
  /** Limits of the organizations for which no limit was set. @throws Problem `not-permitted` */
  ofInstallation(principal: Principal): Promise<StorageUsage[]>;
  /** Null restores the default. @throws Problem `not-found`, `not-permitted` */
  setOfInstallation(principal: Principal, limit: string, most: number | null): Promise<StorageUsage[]>;
  /** Returns the highest usage of each limit in the whole installation, for metrics. */
  state(): Promise<StorageState[]>;
}

/** Limits that are counted by organization. */
const byOrganization = (name: StorageLimitName) =>
  name !== 'project-event-bytes' && name !== 'subscription-event-bytes';

export function createStorage(context: AdminContext): Storage {
  const { store, auth, now } = context;
  const { read } = store;

  async function limitsOf(scope: string): Promise<Map<string, number>> {
    const rows = await read.all<{ name: string; most: number }>(
      'SELECT name, most FROM storage_limit WHERE scope = $1',
      [scope],
    );
    return new Map(rows.map(({ name, most }) => [name, Number(most)]));
  }

  async function usageOf(organization: string): Promise<StorageUsage[]> {
    const [own, installation] = await Promise.all([limitsOf(organization), limitsOf(systemUid)]);
    const [used, largest] = await Promise.all([amountsOf(read, organization), largestOf(read, organization)]);
    return storageLimitEntries.map(([limit, { most, unit, about }]) => ({
      limit,
      description: about,
      unit,
      used: byOrganization(limit) ? (used.get(limit) ?? null) : (largest.get(limit)?.amount ?? 0),
      usedBy: largest.get(limit)?.id ?? null,
      most: own.get(limit) ?? installation.get(limit) ?? most,
      setBy: own.has(limit) ? 'organization' : installation.has(limit) ? 'installation' : 'default',
    }));
  }

  async function installationLimits(): Promise<StorageUsage[]> {
    const set = await limitsOf(systemUid);
    return storageLimitEntries.map(([limit, { most, unit, about }]) => ({
      limit,
      description: about,
      unit,
      used: null,
      usedBy: null,
      most: set.get(limit) ?? most,
      setBy: set.has(limit) ? 'installation' : 'default',
    }));
  }

  async function set(principal: Principal, scope: string, limit: string, most: number | null): Promise<void> {
    if (!isStorageLimit(limit)) throw new Problem('not-found', `There is no storage limit named "${limit}".`);
    await store.transaction(async (tx) => {
      const [held] = await tx.all<{ most: number }>(
        'SELECT most FROM storage_limit WHERE scope = $1 AND name = $2',
        [scope, limit],
      );
      if (most === null) {
        await tx.run('DELETE FROM storage_limit WHERE scope = $1 AND name = $2', [scope, limit]);
      } else {
        await tx.run(
          `INSERT INTO storage_limit (scope, name, most, updated_by, updated_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (scope, name) DO UPDATE SET most = excluded.most, updated_by = excluded.updated_by,
              updated_at = excluded.updated_at`,
          [scope, limit, most, principal.serviceId, now()],
        );
      }
      const change = {
        action: 'set-storage-limit',
        service: 'organization-projects',
        targetObject: limit,
        changes: valueChanges({
          before: { [limit]: held === undefined ? null : Number(held.most) },
          after: { [limit]: most },
        }),
      } as const;
      await recordChange(tx, principal, scope, change, now());
    });
  }

  const find = (principal: Principal, id: string) =>
    demandOn(context, principal, 'read', { id, type: 'organization' });

  return {
    ofOrganization: async (principal, id) => await usageOf((await find(principal, id)).uid),

    async setOfOrganization(principal, id, limit, most) {
      const { uid } = await find(principal, id);
      await auth.demand(principal, 'system:manage', systemUid);
      await set(principal, uid, limit, most);
      return await usageOf(uid);
    },

    async ofInstallation(principal) {
      await auth.demand(principal, 'system:read', systemUid);
      return await installationLimits();
    },

    async setOfInstallation(principal, limit, most) {
      await auth.demand(principal, 'system:manage', systemUid);
      await set(principal, systemUid, limit, most);
      return await installationLimits();
    },

    async state() {
      const rows = await read.all<{ name: string; most: number | null; amount: number }>(
        `SELECT used.name, COALESCE(own.most, every.most) AS most, MAX(used.amount) AS amount FROM storage_usage AS used
            LEFT JOIN contract_subscription AS subscription ON subscription.uid = used.scope
            LEFT JOIN project ON project.uid = COALESCE(subscription.project_id, used.scope)
            LEFT JOIN storage_limit AS own
              ON own.scope = COALESCE(project.organization_uid, used.scope) AND own.name = used.name
            LEFT JOIN storage_limit AS every ON every.scope = $1 AND every.name = used.name
          GROUP BY used.name, COALESCE(own.most, every.most)`,
        [systemUid],
      );
      const ratios = new Map<StorageLimitName, number>();
      for (const { name, most, amount } of rows) {
        if (!isStorageLimit(name)) continue;
        const ratio = Number(amount) / Math.max(1, Number(most ?? storageLimits[name].most));
        ratios.set(name, Math.max(ratio, ratios.get(name) ?? 0));
      }
      return storageLimitEntries.map(([limit]) => ({ limit, ratio: ratios.get(limit) ?? 0 }));
    },
  };
}

/** Returns the project or contract subscription of an organization with the highest usage, by limit name. */
async function largestOf(
  read: Queries,
  organization: string,
): Promise<Map<string, { id: string; amount: number }>> {
  const rows = await read.all<{ name: string; id: string; amount: number }>(
    `SELECT used.name, COALESCE(subscription.uid, project.project_id) AS id, used.amount FROM storage_usage AS used
        LEFT JOIN contract_subscription AS subscription ON subscription.uid = used.scope
        JOIN project ON project.uid = COALESCE(subscription.project_id, used.scope)
      WHERE project.organization_uid = $1 ORDER BY used.amount`,
    [organization],
  );
  return new Map(rows.map(({ name, id, amount }) => [name, { id, amount: Number(amount) }]));
}

/** Returns the amounts that an organization uses, including amounts that are not counted yet. */
async function amountsOf(read: Queries, organization: string): Promise<Map<StorageLimitName, number>> {
  const rows = await read.all<{ name: string; amount: number }>(
    'SELECT name, amount FROM storage_usage WHERE scope = $1',
    [organization],
  );
  const known = new Map(rows.map(({ name, amount }) => [name, Number(amount)]));
  const amounts = new Map<StorageLimitName, number>();
  for (const [name, { types, table }] of storageLimitEntries) {
    if (!byOrganization(name)) continue;
    const counted = known.get(name);
    if (table !== undefined) amounts.set(name, await countRecords(read, organization, table));
    else if (counted !== undefined) amounts.set(name, counted);
    else if (types !== undefined) amounts.set(name, await countResources(read, organization, name));
    else if (isRecordLimit(name)) amounts.set(name, await countRecordsOf(read, organization, name));
    else amounts.set(name, name === 'document-bytes' ? await countDocuments(read, organization) : 0);
  }
  return amounts;
}
