import { isAbsolute, resolve } from 'node:path';
import { createPluginUrls, type PluginAllowList } from '@ledger-ops/registry';
import { ConfigError } from './config-error.ts';

/** What the deployer lets plugins be. */
export interface PluginSettings {
  readonly allowed: PluginAllowList;
  /** Modules that run in the server's process. */
  readonly trusted: { readonly packages: readonly string[]; readonly folders: readonly string[] };
  /** Folder whose `node_modules` has the packages; absolute. */
  readonly folder: string;
}

/**
 * The three settings together. A module that is trusted is allowed.
 * @throws ConfigError naming the setting and the entry
 */
export function pluginsOf(
  allowed: readonly string[],
  trusted: readonly string[],
  folder: string,
): PluginSettings {
  const own = sorted('PLUGINS_TRUSTED', trusted);
  if (own.hosts.length > 0) {
    throw new ConfigError(
      `PLUGINS_TRUSTED: ${own.hosts[0]} is no module: trusted are npm:<package> and file:<folder>.`,
    );
  }
  const all = sorted('PLUGINS_ALLOWED', allowed);
  const list = {
    modules: [...all.modules, ...own.modules],
    folders: [...all.folders, ...own.folders],
    hosts: all.hosts,
  };
  try {
    createPluginUrls(list);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError(`PLUGINS_ALLOWED or PLUGINS_TRUSTED: ${error.message}`);
  }
  return {
    allowed: list,
    trusted: { packages: own.modules, folders: own.folders },
    folder: resolve(folder),
  };
}

function sorted(setting: string, entries: readonly string[]) {
  const modules: string[] = [];
  const folders: string[] = [];
  const hosts: string[] = [];
  for (const entry of entries) {
    if (entry.startsWith('npm:')) modules.push(entry.slice('npm:'.length));
    else if (entry.startsWith('file:') && isAbsolute(entry.slice('file:'.length)))
      folders.push(entry.slice('file:'.length).replace(/\/+$/, ''));
    else if (/^https?:\/\//.test(entry)) hosts.push(entry.replace(/\/+$/, ''));
    else {
      throw new ConfigError(
        `${setting}: ${entry} must be npm:<package>, file:<absolute folder> or http(s)://<host>.`,
      );
    }
  }
  return { modules, folders, hosts };
}
