import { systemUid } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { asc } from 'drizzle-orm';
import { explorerCounter } from '../../revision.ts';
import { createRevisionCache } from '../../revision-cache.ts';
import { explorerLink, parseImplementations } from './implementations.ts';

/**
 * Link to a transaction, from the first explorer of its ledger that has one: the project's explorers first, then the
 * deployer's. Null if no explorer has a link.
 */
export type ExplorerLinks = (
  ledgerUid: string,
  projectUid: string,
  locator: string,
) => Promise<string | null>;

/** Creates links from memory. A changed explorer is used from the next call on, on every server. */
export function createExplorerLinks(store: Store): ExplorerLinks {
  const explorers = createRevisionCache(store, explorerCounter, async ({ db, t: { explorer } }) => {
    const rows = await db.select().from(explorer).orderBy(asc(explorer.id));
    const read = rows.map(({ ledgerUid, scope, implementations }) => ({
      ledgerUid,
      scope,
      implementations: parseImplementations(implementations),
    }));
    return Map.groupBy(read, ({ ledgerUid }) => ledgerUid);
  });
  return async (ledgerUid, projectUid, locator) => {
    const known = (await explorers()).get(ledgerUid) ?? [];
    for (const wanted of [projectUid, systemUid]) {
      for (const { scope, implementations } of known) {
        const link = scope === wanted ? explorerLink(implementations, locator) : null;
        if (link !== null) return link;
      }
    }
    return null;
  };
}
