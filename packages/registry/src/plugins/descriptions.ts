import { forUpdate, type Queries, type Store } from '@ledger-ops/store';
import { eq, inArray } from 'drizzle-orm';
import type { PluginModule } from './types.ts';

/** Stored descriptions of the plugins' current modules, by the plugin's uid. */
export async function readDescriptions(
  { db, t: { plugin, pluginDescription } }: Queries,
  uids: readonly string[],
): Promise<Map<string, string>> {
  if (uids.length === 0) return new Map();
  const rows = await db
    .select({ kept: pluginDescription, url: plugin.url, integrity: plugin.integrity })
    .from(pluginDescription)
    .innerJoin(plugin, eq(plugin.uid, pluginDescription.pluginUid))
    .where(inArray(pluginDescription.pluginUid, [...uids]));
  return new Map(
    rows
      .filter(({ kept, url, integrity }) => kept.url === url && kept.integrity === integrity)
      .map(({ kept }) => [kept.pluginUid, kept.description]),
  );
}

/**
 * Stores the description of a plugin's module. Writes nothing if the description is already stored, which is
 * the usual case, or if the plugin now has another module.
 */
export async function keepDescription(
  store: Store,
  { uid, url, integrity }: PluginModule,
  description: string,
): Promise<void> {
  if ((await readDescriptions(store.read, [uid])).get(uid) === description) return;
  await store.transaction(async (tx) => {
    const { plugin, pluginDescription } = tx.t;
    // Locks the plugin until the transaction ends, so that a concurrent deletion of the plugin also deletes
    // the description.
    const [row] = await forUpdate(tx, tx.db.select().from(plugin).where(eq(plugin.uid, uid)));
    if (row?.url !== url || row.integrity !== integrity) return;
    const kept = { url, integrity, description };
    await tx.db
      .insert(pluginDescription)
      .values({ pluginUid: uid, ...kept })
      .onConflictDoUpdate({ target: pluginDescription.pluginUid, set: kept });
  });
}
