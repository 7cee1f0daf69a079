import { systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { nextId, type Queries, type Tx } from '@ledger-ops/store';
import { asc, eq, like } from 'drizzle-orm';
import type { ServiceContext } from '../service.ts';
import { builtInPrefix, insertTags, type PluginRow, pluginCounter, tagsOf } from './plugin-rows.ts';
import type { BuiltInPlugin } from './types.ts';

/**
 * Returns the uid of a built-in plugin's record, which is also its URL. No request can create such a uid or
 * URL.
 */
export function builtInUid(name: string): string {
  return `${builtInPrefix}${name}`;
}

/** Whether the record only lists an adapter that is built into the server. */
function isBuiltIn({ uid }: Pick<PluginRow, 'uid'>): boolean {
  return uid.startsWith(builtInPrefix);
}

/** @throws Problem `conflict` for the record of a built-in adapter */
export function refuseBuiltIn(row: Pick<PluginRow, 'uid' | 'pluginId'>): void {
  if (!isBuiltIn(row)) return;
  throw new Problem(
    'conflict',
    `The plugin ${row.pluginId} is built into the server and cannot be changed. Register your own plugin instead.`,
  );
}

/**
 * Updates the records of built-in plugins. If several servers share a database, the one started
 * last determines the records. Each server still uses its own adapters, regardless of the records.
 */
export async function recordBuiltIn(
  { store, auth, now }: Pick<ServiceContext, 'store' | 'auth' | 'now'>,
  builtIn: readonly BuiltInPlugin[],
): Promise<void> {
  const wanted = new Map(builtIn.toReversed().map((one) => [builtInUid(one.name), described(one)]));
  const isSame = async (queries: Queries) => {
    const known = await recorded(queries);
    return known.size === wanted.size && [...wanted].every(([uid, one]) => isEqual(known.get(uid), one));
  };
  // The records are unchanged at almost every start, so they are checked before anything is locked.
  if (await isSame(store.read)) return;
  await store.transaction(async (tx) => {
    // Locks the counter's row first, so that servers that start at the same time wait here.
    const revision = await nextId(tx, pluginCounter);
    for (const [uid, before] of await recorded(tx)) {
      if (isEqual(wanted.get(uid), before)) continue;
      await tx.db.delete(tx.t.pluginTag).where(eq(tx.t.pluginTag.pluginUid, uid));
      await tx.db.delete(tx.t.plugin).where(eq(tx.t.plugin.uid, uid));
      await auth.removeResource(tx, uid);
    }
    for (const { name } of builtIn) {
      const one = wanted.get(builtInUid(name));
      if (one !== undefined) await add(tx, { ...one, name, revision });
    }
  });

  async function add(tx: Tx, one: Described & { name: string; revision: number }): Promise<void> {
    const { name, interfaceVersion, version, tags, revision } = one;
    const uid = builtInUid(name);
    const { plugin } = tx.t;
    const at = now();
    const added = await tx.db
      .insert(plugin)
      .values({
        uid,
        id: await nextId(tx, 'plugin'),
        pluginId: name,
        scope: systemUid,
        name,
        url: uid,
        active: true,
        pluginType: 'BLOCKCHAIN_PLUGIN',
        implementationVersion: interfaceVersion,
        version,
        integrity: null,
        ledgers: null,
        credentials: null,
        revision,
        moduleRevision: null,
        createdAt: at,
        updatedAt: at,
      })
      // The record already exists, or the deployer has registered a plugin with this id. The deployer's
      // plugin takes precedence.
      .onConflictDoNothing()
      .returning({ uid: plugin.uid });
    if (added.length === 0) return;
    await auth.registerResource(tx, { uid, resourceId: name, type: 'plugin', parentUid: systemUid });
    await insertTags(tx, uid, tags);
  }
}

interface Described {
  readonly interfaceVersion: string;
  readonly version: string | null;
  readonly tags: readonly string[];
}

/** Returns the tags by which a ledger can select the adapter if no registered plugin serves the ledger. */
function described({ name, technology, interfaceVersion, version }: BuiltInPlugin): Described {
  return { interfaceVersion, version, tags: [...new Set([technology, name])] };
}

async function recorded(queries: Queries): Promise<Map<string, Described>> {
  const { plugin } = queries.t;
  const rows = await queries.db
    .select()
    .from(plugin)
    .where(like(plugin.uid, `${builtInPrefix}%`))
    .orderBy(asc(plugin.id));
  const tags = await tagsOf(
    queries,
    rows.map(({ uid }) => uid),
  );
  return new Map(
    rows.map(({ uid, implementationVersion, version }) => [
      uid,
      {
        interfaceVersion: implementationVersion,
        version,
        tags: (tags.get(uid) ?? []).map(({ name }) => name),
      },
    ]),
  );
}

function isEqual(one: Described | undefined, other: Described | undefined): boolean {
  return (
    one?.interfaceVersion === other?.interfaceVersion &&
    one?.version === other?.version &&
    one?.tags.join() === other?.tags.join()
  );
}
