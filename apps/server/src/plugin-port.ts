import type { Principal } from '@ledger-ops/auth';
import type { Plugins } from '@ledger-ops/registry';
import type { PluginLoader, PluginStatus } from '@ledger-ops/runtime';

/** What the routes of plugins call. */
export interface PluginPort
  extends Pick<
    Plugins,
    'list' | 'create' | 'get' | 'update' | 'delete' | 'addTags' | 'removeTags' | 'legacy'
  > {
  /** How it is doing on this server; null when nothing has used it since it was last changed. */
  health(principal: Principal, pluginId: string): Promise<PluginStatus | null>;
}

/** Records of plugins, and how those are doing that run. */
export function createPluginPort(plugins: Plugins, loader: Pick<PluginLoader, 'status'>): PluginPort {
  return {
    ...plugins,
    async health(principal, pluginId) {
      const named = (await plugins.all()).filter((record) => record.pluginId === pluginId);
      // The one that the path means: of the caller's project, else of the deployer, else the oldest.
      const record =
        named.find(({ projectUid }) => projectUid === principal.projectUid) ??
        named.find(({ projectUid }) => projectUid === null) ??
        named.toSorted((a, b) => a.id - b.id)[0];
      return record === undefined ? null : loader.status(record.uid);
    },
  };
}
