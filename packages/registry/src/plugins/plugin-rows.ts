import { invalidRequest, isMisleading, misleadingDetail } from '@ledger-ops/base';
import { nextId, type Queries, readJson, type Tx } from '@ledger-ops/store';
import { and, asc, eq, inArray, like, notLike, or, type SQL } from 'drizzle-orm';
import { projectOf } from '../scope.ts';
import type { LegacyTag, PluginRecord } from './types.ts';

export type PluginRow = Queries['t']['plugin']['$inferSelect'];

const maxTags = 64;

/** Name of the counter that every change to a plugin increases. */
export const pluginCounter = 'plugins';

/** Uid prefix of records that list built-in plugins. */
export const builtInPrefix = 'built-in:';

/** Plugins with this id in every scope, and the plugin with this uid. */
export async function rowsOfId(queries: Queries, pluginId: string): Promise<PluginRow[]> {
  const { plugin } = queries.t;
  return await queries.db
    .select()
    .from(plugin)
    .where(or(eq(plugin.pluginId, pluginId), eq(plugin.uid, pluginId)));
}

/** Tags of plugins, by uid, in the order in which they were added. */
export async function tagsOf(queries: Queries, uids: readonly string[]): Promise<Map<string, LegacyTag[]>> {
  const { pluginTag } = queries.t;
  const rows =
    uids.length === 0
      ? []
      : await queries.db
          .select()
          .from(pluginTag)
          .where(inArray(pluginTag.pluginUid, [...uids]))
          .orderBy(asc(pluginTag.id));
  const tags = new Map(uids.map((uid): [string, LegacyTag[]] => [uid, []]));
  for (const { id, pluginUid, tag } of rows) tags.get(pluginUid)?.push({ id, name: tag });
  return tags;
}

/**
 * Returns all registered plugins with their tags, oldest first. Built-in plugins are not included: the server
 * uses them only if no registered plugin serves a ledger.
 */
export async function readPlugins(queries: Queries): Promise<PluginRecord[]> {
  return await recordsOf(queries, notLike(queries.t.plugin.uid, `${builtInPrefix}%`));
}

/** Built-in plugins with their tags. */
export async function readBuiltIn(queries: Queries): Promise<PluginRecord[]> {
  return await recordsOf(queries, like(queries.t.plugin.uid, `${builtInPrefix}%`));
}

async function recordsOf(queries: Queries, where: SQL): Promise<PluginRecord[]> {
  const { plugin, pluginTag, project } = queries.t;
  const rows = await queries.db
    .select({ row: plugin, organizationUid: project.organizationUid })
    .from(plugin)
    .leftJoin(project, eq(project.uid, plugin.scope))
    .where(where)
    .orderBy(asc(plugin.id));
  const tags = await queries.db.select().from(pluginTag).orderBy(asc(pluginTag.id));
  const byPlugin = Map.groupBy(tags, ({ pluginUid }) => pluginUid);
  return rows.map(({ row, organizationUid }) => {
    const { scope, createdAt: _createdAt, updatedAt: _updatedAt, ...rest } = row;
    const its = (byPlugin.get(row.uid) ?? []).map(({ tag }) => tag);
    const moduleRevision = row.moduleRevision ?? 0;
    const ledgers = readJson<string[]>(row.ledgers);
    return { ...rest, moduleRevision, ledgers, projectUid: projectOf(scope), organizationUid, tags: its };
  });
}

/**
 * Removes duplicate tags.
 * @throws Problem `invalid-request` with the pointer of the first invalid tag
 */
export function checkTags(tags: readonly string[], pointer: string): string[] {
  tags.forEach((tag, index) => {
    if (!/^[^\p{Cc},]{1,64}$/u.test(tag) || tag !== tag.trim()) {
      const detail =
        'must have 1 to 64 characters, without commas, control characters and surrounding spaces';
      throw invalidRequest([{ pointer: `${pointer}/${index}`, detail }]);
    }
    if (isMisleading(tag)) {
      throw invalidRequest([{ pointer: `${pointer}/${index}`, detail: misleadingDetail }]);
    }
  });
  return [...new Set(tags)];
}

/**
 * Adds the tags that the plugin does not have yet.
 * @throws Problem `invalid-request` (too many)
 */
export async function insertTags(tx: Tx, uid: string, tags: readonly string[]): Promise<void> {
  const { pluginTag } = tx.t;
  const there = (await tagsOf(tx, [uid])).get(uid) ?? [];
  const added = tags.filter((tag) => !there.some(({ name }) => name === tag));
  if (there.length + added.length > maxTags) {
    throw invalidRequest([{ pointer: '/tags', detail: `a plugin can have at most ${maxTags} tags` }]);
  }
  if (added.length === 0) return;
  const first = await nextId(tx, 'plugin_tag', added.length);
  await tx.db
    .insert(pluginTag)
    .values(added.map((tag, index) => ({ id: first + index, pluginUid: uid, tag })))
    .onConflictDoNothing({ target: [pluginTag.pluginUid, pluginTag.tag] });
}

/** Removes tags. Tags that the plugin does not have are ignored. */
export async function deleteTags(tx: Tx, uid: string, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  const { pluginTag } = tx.t;
  await tx.db.delete(pluginTag).where(and(eq(pluginTag.pluginUid, uid), inArray(pluginTag.tag, [...tags])));
}
