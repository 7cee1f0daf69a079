import type { Principal } from '@ledger-ops/auth';
import type { Plugins } from '@ledger-ops/registry';
import type { PluginLoader, PluginStatus } from '@ledger-ops/runtime';
import { type TechnologyView, technologyViews } from './present/technology.ts';

/** The plugins' records and health, for their routes. */
export interface PluginPort
  extends Pick<
    Plugins,
    'list' | 'create' | 'get' | 'update' | 'delete' | 'addTags' | 'removeTags' | 'legacy'
  > {
  /** How it is doing on this server; null when nothing has used it since it was last changed. */
  health(principal: Principal, pluginId: string): Promise<PluginStatus | null>;
  /** By name, of plugins that the caller's project may use and this server has loaded. */
  technologies(principal: Principal): Promise<TechnologyView[]>;
}

/** Records of plugins, and how those are doing that run. */
export function createPluginPort(
  plugins: Plugins,
  loader: Pick<PluginLoader, 'status' | 'offered'>,
): PluginPort {
  return {
    ...plugins,
    // By the record that the path means: status is kept by uids, and ids repeat across projects.
    health: async (principal, pluginId) => loader.status(await plugins.uidOf(principal, pluginId)),
    technologies: async ({ projectUid }) => technologyViews(await loader.offered(projectUid)),
  };
}
