import { systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { nextId, type Queries, type Tx } from '@ledger-ops/store';
import { asc, eq, like } from 'drizzle-orm';
import type { ServiceContext } from '../service.ts';
import { builtInPrefix, insertTags, type PluginRow, pluginCounter, tagsOf } from './plugin-rows.ts';
import type { BuiltInPlugin } from './types.ts';

/** Both the uid of its record and the url that is shown: no request makes either. */
export function builtInUid(name: string): string {
  return `${builtInPrefix}${name}`;
}

/** Whether the record only tells of an adapter that is built into the server. */
function isBuiltIn({ uid }: Pick<PluginRow, 'uid'>): boolean {
  return uid.startsWith(builtInPrefix);
}

/** @throws Problem `conflict` for a record that only tells of an adapter */
export function refuseBuiltIn(row: Pick<PluginRow, 'uid' | 'pluginId'>): void {
  if (!isBuiltIn(row)) return;
  throw new Problem(
    'conflict',
    `The plugin ${row.pluginId} is built into the server: it comes and goes with it, and is not changed by a request. Register a plugin of your own instead.`,
  );
}

/**
 * Makes the records say what is built in. Of several servers on one database the one that was started last decides;
 * each of them serves with its own adapters whatever the records say.
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
  // As at almost every start: nothing waits for a lock then.
  if (await isSame(store.read)) return;
  await store.transaction(async (tx) => {
    // The counter's row first: servers that start at the same time wait for each other here.
    const revision = await nextId(tx, pluginCounter);
    for (const [uid, before] of await recorded(tx)) {
      if (isEqual(wanted.get(uid), before)) continue;
      await tx.db.delete(tx.t.pluginTag).where(eq(tx.t.pluginTag.pluginUid, uid));
      await tx.db.delete(tx.t.plugin).where(eq(tx.t.plugin.uid, uid));
      await auth.removeResource(tx, uid);
    }
    for (const { name, interfaceVersion } of builtIn) {
      const one = wanted.get(builtInUid(name));
      if (one !== undefined) await add(tx, { ...one, name, interfaceVersion, revision });
    }
  });

  async function add(tx: Tx, one: Described & { name: string; revision: number }): Promise<void> {
    const { name, interfaceVersion, tags, revision } = one;
    const uid = builtInUid(name);
    const { plugin } = tx.t;
    const at = now();
    const added = await tx.db
      .insert(plugin)
      .values({
        ...{ uid, id: await nextId(tx, 'plugin'), pluginId: name, scope: systemUid, name, url: uid },
        ...{ active: true, pluginType: 'BLOCKCHAIN_PLUGIN', implementationVersion: interfaceVersion },
        ...{
          integrity: null,
          credentials: null,
          revision,
          moduleRevision: null,
          createdAt: at,
          updatedAt: at,
        },
      })
      // It stands there already, or the deployer registered a plugin under this id before: that one is used by it.
      .onConflictDoNothing()
      .returning({ uid: plugin.uid });
    if (added.length === 0) return;
    await auth.registerResource(tx, { uid, resourceId: name, type: 'plugin', parentUid: systemUid });
    await insertTags(tx, uid, tags);
  }
}

interface Described {
  readonly interfaceVersion: string;
  readonly tags: readonly string[];
}

/** By these it is chosen where no record serves a ledger. */
function described({ name, technology, interfaceVersion }: BuiltInPlugin): Described {
  return { interfaceVersion, tags: [...new Set([technology, name])] };
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
    rows.map(({ uid, implementationVersion }) => [
      uid,
      {
        interfaceVersion: implementationVersion,
        tags: (tags.get(uid) ?? []).map(({ name }) => name),
      },
    ]),
  );
}

function isEqual(one: Described | undefined, other: Described | undefined): boolean {
  return one?.interfaceVersion === other?.interfaceVersion && one?.tags.join() === other?.tags.join();
}
