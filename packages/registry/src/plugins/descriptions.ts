import { forUpdate, type Queries, type Store } from '@ledger-ops/store';
import { eq, inArray } from 'drizzle-orm';
import type { PluginModule } from './types.ts';

/** As it was kept of the modules that these plugins have now, by uid. */
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

/** Writes nothing where it stands there already, as at almost every load, or the plugin has another module by now. */
export async function keepDescription(
  store: Store,
  { uid, url, integrity }: PluginModule,
  description: string,
): Promise<void> {
  if ((await readDescriptions(store.read, [uid])).get(uid) === description) return;
  await store.transaction(async (tx) => {
    const { plugin, pluginDescription } = tx.t;
    // Held until the end: whoever deletes the plugin meanwhile finds what to delete.
    const [row] = await forUpdate(tx, tx.db.select().from(plugin).where(eq(plugin.uid, uid)));
    if (row?.url !== url || row.integrity !== integrity) return;
    const kept = { url, integrity, description };
    await tx.db
      .insert(pluginDescription)
      .values({ pluginUid: uid, ...kept })
      .onConflictDoUpdate({ target: pluginDescription.pluginUid, set: kept });
  });
}
