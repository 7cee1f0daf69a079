import type { Queries } from '@ledger-ops/store';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { systemUid } from '../access/resources.ts';

/** How records name the scope of the deployer where they name a project. No project can have this id. */
export const systemId = 'system';

/** In an order of what stands in scopes: that of the ids by which records name them. */
export function scopeIdOf(scope: PgColumn): SQL {
  return sql`coalesce((select project.project_id from project where project.uid = ${scope}), case when ${scope} = ${systemUid} then ${systemId} else '' end)`;
}

/** The ids by which records name scopes. */
export async function scopeIds(queries: Queries, scopes: Iterable<string>): Promise<Map<string, string>> {
  const named = new Map([[systemUid, systemId]]);
  for (const scope of new Set(scopes)) {
    if (named.has(scope)) continue;
    const [row] = await queries.all<{ id: string }>('SELECT project_id AS id FROM project WHERE uid = $1', [
      scope,
    ]);
    named.set(scope, row?.id ?? '');
  }
  return named;
}
