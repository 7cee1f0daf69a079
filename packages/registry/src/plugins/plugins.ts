import { scopeIds } from '@ledger-ops/auth';
import type { Queries } from '@ledger-ops/store';
import semver from 'semver';
import { createRevisionCache } from '../revision-cache.ts';
import { recordBuiltIn } from './built-in.ts';
import { choosePlugin, weighPlugins } from './choose-plugin.ts';
import { keepDescription, readDescriptions } from './descriptions.ts';
import { createLegacyPlugins } from './legacy.ts';
import { PluginOperations, type PluginsOptions } from './plugin-operations.ts';
import { checkTags, type PluginRow, pluginCounter, readPlugins, tagsOf } from './plugin-rows.ts';
import type { Plugins, PluginView } from './types.ts';

/** Creates the plugin service. It does not need to be closed. */
export function createPlugins(context: PluginsOptions): Plugins {
  const { store } = context;
  if (semver.valid(context.interfaceVersion) === null)
    throw new TypeError('The interface version must be a semantic version.');
  const operations = new PluginOperations(context);
  const view = async (row: PluginRow) => (await views(store.read, [row]))[0] ?? viewOf(row, [], '');
  const records = createRevisionCache(store, pluginCounter, readPlugins);

  return {
    async list(principal, query) {
      const { items, total } = await operations.list(principal, query);
      return {
        items: await views(
          store.read,
          items.map(({ row }) => row),
        ),
        total,
      };
    },
    create: (principal, input, claim) =>
      operations.create(principal, input, claim, async (tx, row, warnings) => ({
        ...((await views(tx, [row]))[0] ?? viewOf(row, [], '')),
        warnings,
      })),
    get: async (principal, pluginId) => await view(await operations.find(principal, pluginId)),
    uidOf: async (principal, pluginId) => (await operations.find(principal, pluginId)).uid,
    async update(principal, pluginId, input) {
      const { row, warnings } = await operations.update(principal, pluginId, input);
      return { ...(await view(row)), warnings };
    },
    delete: (principal, pluginId) => operations.delete(principal, pluginId),
    addTags: async (principal, pluginId, tags, takeOver) =>
      await view(await operations.changeTags(principal, pluginId, checkTags(tags, '/tags'), 'add', takeOver)),
    removeTags: async (principal, pluginId, tags) =>
      await view(await operations.changeTags(principal, pluginId, tags, 'remove')),
    legacy: createLegacyPlugins(operations),
    recordBuiltIn: (builtIn) => recordBuiltIn(context, builtIn),
    all: records,
    keepDescription: (module, description) => keepDescription(store, module, description),
    descriptions: (uids) => readDescriptions(store.read, uids),
    revision: () => store.counter(pluginCounter),
    choose: async (ledger, projectUid, pluginId) =>
      choosePlugin(await records(), ledger, projectUid, pluginId),
    weigh: async (ledger, projectUid) => weighPlugins(await records(), ledger, projectUid),
  };
}

async function views(queries: Queries, rows: readonly PluginRow[]): Promise<PluginView[]> {
  const tags = await tagsOf(
    queries,
    rows.map(({ uid }) => uid),
  );
  const names = await scopeIds(
    queries,
    rows.map(({ scope }) => scope),
  );
  return rows.map((row) =>
    viewOf(
      row,
      (tags.get(row.uid) ?? []).map(({ name }) => name),
      names.get(row.scope) ?? '',
    ),
  );
}

function viewOf(row: PluginRow, tags: string[], projectId: string): PluginView {
  const { active, pluginId, implementationVersion, version, name, pluginType, url, integrity } = row;
  const hasCredentials = row.credentials !== null;
  return {
    active,
    id: pluginId,
    implementationVersion,
    name,
    pluginType,
    projectId,
    tags,
    url,
    version,
    integrity,
    hasCredentials,
  };
}
