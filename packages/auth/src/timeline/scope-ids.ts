import type { Queries } from '@ledger-ops/store';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import QuickLRU from 'quick-lru';
import { systemUid } from '../access/system-uid.ts';

/** The id that records show for the deployer's scope in place of a project. No project can have it. */
export const systemId = 'system';

/** Sort key that orders rows by the displayed ids of their scopes. */
export function scopeIdOf(scope: PgColumn): SQL {
  return sql`coalesce((select project.project_id from project where project.uid = ${scope}), case when ${scope} = ${systemUid} then ${systemId} else '' end)`;
}

/** Cache of projects' ids by uid. They never change. */
const known = new QuickLRU<string, string>({ maxSize: 1_000 });

/** Returns the displayed ids of scopes. */
export async function scopeIds(queries: Queries, scopes: Iterable<string>): Promise<Map<string, string>> {
  const named = new Map([[systemUid, systemId]]);
  for (const scope of new Set(scopes)) {
    if (named.has(scope)) continue;
    named.set(scope, known.get(scope) ?? (await readProjectId(queries, scope)));
  }
  return named;
}

async function readProjectId(queries: Queries, uid: string): Promise<string> {
  const [row] = await queries.all<{ id: string }>('SELECT project_id AS id FROM project WHERE uid = $1', [
    uid,
  ]);
  if (row !== undefined) known.set(uid, row.id);
  return row?.id ?? '';
}
