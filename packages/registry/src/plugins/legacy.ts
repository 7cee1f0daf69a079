import { scopeIds } from '@ledger-ops/auth';
import type { Queries } from '@ledger-ops/store';
import { withPointers } from '../pointers.ts';
import type { PluginOperations } from './plugin-operations.ts';
import { checkTags, type PluginRow, tagsOf } from './plugin-rows.ts';
import type { LegacyPluginInput, LegacyPlugins, LegacyPluginView, NewPlugin } from './types.ts';

/** Creates the deprecated plugin operations and their data shapes, on the same records. */
export function createLegacyPlugins(operations: PluginOperations): LegacyPlugins {
  const { read } = operations.context.store;
  const view = async (row: PluginRow) => await legacyView(read, row);
  return {
    create: (principal, input, claim) =>
      withPointers([...oldNames, ...tagNames(input)], () =>
        operations.create(
          principal,
          { ...newPlugin(input), ...(input.pluginId ? { pluginId: input.pluginId } : {}) },
          claim,
          legacyView,
        ),
      ),
    async update(principal, pluginId, input) {
      const { active } = await operations.find(principal, pluginId);
      const { name, pluginURL: url } = input;
      return await view(
        (await withPointers(oldNames, () => operations.update(principal, pluginId, { active, name, url })))
          .row,
      );
    },
    delete: (principal, pluginId) => operations.delete(principal, pluginId),
    get: async (principal, pluginId) => await view(await operations.find(principal, pluginId)),
    async list(principal, query) {
      const sort = query.sort.map(({ key, direction }) => ({
        key: key === 'id' ? 'number' : key,
        direction,
      }));
      const { items, total } = await operations.list(principal, { ...query, sort });
      return { items: await Promise.all(items.map(({ row }) => view(row))), total };
    },
    async addTag(principal, pluginId, { name }) {
      const tags = checkTags([name], '/name');
      return await view(await operations.changeTags(principal, pluginId, tags, 'add'));
    },
    removeTag: async (principal, pluginId, tagName) =>
      await view(await operations.changeTags(principal, pluginId, [tagName], 'remove')),
    async listTags(principal, pluginId) {
      const { uid } = await operations.find(principal, pluginId);
      return (await tagsOf(read, [uid])).get(uid) ?? [];
    },
  };
}

function newPlugin({ name, pluginURL, project, tags }: LegacyPluginInput): NewPlugin {
  return {
    name,
    url: pluginURL,
    ...(project ? { projectId: project } : {}),
    tags: (tags ?? []).map((tag) => tag.name),
  };
}

/** Returns the pointers of tags and of their names: deprecated requests contain tags as objects. */
function tagNames({ tags }: LegacyPluginInput): [string, string][] {
  return (tags ?? []).map((_, index) => [`/tags/${index}`, `/tags/${index}/name`]);
}

const oldNames = [
  ['/url', '/pluginURL'],
  ['/projectId', '/project'],
] as const;

async function legacyView(queries: Queries, row: PluginRow): Promise<LegacyPluginView> {
  const { uid, id, name, pluginId, url, scope } = row;
  const tags = (await tagsOf(queries, [uid])).get(uid) ?? [];
  const project = (await scopeIds(queries, [scope])).get(scope) ?? '';
  return { id, name, pluginId, pluginURL: url, project, resourceId: pluginId, tags };
}
