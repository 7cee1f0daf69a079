import { realpathSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { type ClosedPath, closedPaths } from '@ledger-ops/adapter/process';
import { createPluginUrls, type PluginAllowList } from '@ledger-ops/registry';
import { ConfigError } from './config-error.ts';

/** What the deployer lets plugins be. */
export interface PluginSettings {
  readonly allowed: PluginAllowList;
  /** Modules that run in the server's process. */
  readonly trusted: { readonly packages: readonly string[]; readonly folders: readonly string[] };
  /** Folder whose `node_modules` has the packages; absolute. */
  readonly folder: string;
  /** What is the server's own: no module in a process of its own reads it. */
  readonly closed: readonly ClosedPath[];
}

/**
 * The three settings together. A module that is trusted is allowed.
 * @throws ConfigError naming the setting and the entry
 */
export function pluginsOf(
  allowed: readonly string[],
  trusted: readonly string[],
  folder: string,
  closed: readonly ClosedPath[],
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
    // Where the server runs there are its environment, its packages and whatever else it was deployed with.
    closed: [
      ...closed,
      { name: 'working directory', path: resolve('.env') },
      { name: 'PLUGINS_FOLDER', path: resolve(folder, '.env') },
    ],
  };
}

/** What is wrong with the place of a module: the server's secrets are there. Trusted modules read what they like. */
export function createPlaceCheck({ closed, trusted }: PluginSettings) {
  const holds = closedPaths(closed);
  return (file: string, folder: string): string | undefined => {
    const isTrusted = trusted.folders.some((one) => isBelow(one, file));
    const held = holds(isTrusted ? file : folder);
    if (held === undefined) return undefined;
    return `is in a folder that holds, or lies in, the server's ${held}, which a module may not read: put it into a folder of its own, with a package.json, away from ${held}`;
  };
}

function isBelow(folder: string, file: string): boolean {
  try {
    return file.startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
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
