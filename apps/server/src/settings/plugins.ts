import { realpathSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { z } from '@hono/zod-openapi';
import { type ClosedPath, closedPaths } from '@ledger-ops/plugin-host';
import { createPluginUrls, type PluginAllowList } from '@ledger-ops/registry';
import { list, said } from './setting.ts';

/** Plugins allowed by the deployer. */
export interface PluginSettings {
  readonly allowed: PluginAllowList;
  /** Modules that run in the server process. */
  readonly trusted: { readonly packages: readonly string[]; readonly folders: readonly string[] };
  /** Absolute path of the folder whose `node_modules` contains the packages. */
  readonly folder: string;
  /** The server's files and folders, which modules in separate processes must not read. */
  readonly closed: readonly ClosedPath[];
}

const trustedPlace = z.string().refine(isModule, {
  error: said('must be npm:<package> or file:<absolute folder>'),
});
const place = z.string().refine((entry) => isModule(entry) || /^https?:\/\//.test(entry), {
  error: said('must be npm:<package>, file:<absolute folder> or http(s)://<host>'),
});

/** Schema of allowed plugins. */
export const pluginPlaces = places(place);

/** Schema of modules that run in the server process. */
export const trustedPlaces = places(trustedPlace);

/** Combines the plugin settings. Trusted modules are allowed implicitly. */
export function pluginsOf(
  allowed: PluginAllowList,
  trusted: PluginAllowList,
  folder: string,
  closed: readonly ClosedPath[],
): PluginSettings {
  return {
    allowed: {
      modules: [...allowed.modules, ...trusted.modules],
      folders: [...allowed.folders, ...trusted.folders],
      hosts: allowed.hosts,
    },
    trusted: { packages: trusted.modules, folders: trusted.folders },
    folder: resolve(folder),
    // The server's working directory contains its environment files, packages and other deployed files.
    closed: [
      ...closed,
      { name: 'working directory', path: resolve('.env') },
      { name: 'PLUGINS_FOLDER', path: resolve(folder, '.env') },
    ],
  };
}

/**
 * Creates the check of a module's location. The check returns an error if the module's folder, or the file of
 * a trusted module, is one of the server's private paths, is inside one, or contains one.
 */
export function createPlaceCheck({ closed, trusted }: PluginSettings) {
  const holds = closedPaths(closed);
  return (file: string, folder: string): string | undefined => {
    const isTrusted = trusted.folders.some((one) => isBelow(one, file));
    const held = holds(isTrusted ? file : folder);
    if (held === undefined) return undefined;
    return `is in a folder that overlaps the server's ${held}, which modules must not read. Move the module to a separate folder with a package.json, outside of ${held}`;
  };
}

/** Schema of an allow list of plugin locations. Groups them into modules, folders and hosts. */
function places(entry: z.ZodType<string, string>) {
  return list(entry).transform((entries, context): PluginAllowList => {
    const sorted = {
      modules: behind('npm:', entries),
      folders: behind('file:', entries).map(withoutSlash),
      hosts: entries.filter((one) => one.startsWith('http')).map(withoutSlash),
    };
    try {
      createPluginUrls(sorted);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      context.addIssue({ code: 'custom', message: `is wrong: ${error.message.replace(/\.$/, '')}` });
    }
    return sorted;
  });
}

function isModule(entry: string): boolean {
  return entry.startsWith('npm:') || (entry.startsWith('file:') && isAbsolute(entry.slice('file:'.length)));
}

function behind(scheme: string, entries: readonly string[]): string[] {
  return entries.filter((one) => one.startsWith(scheme)).map((one) => one.slice(scheme.length));
}

function withoutSlash(entry: string): string {
  return entry.replace(/\/+$/, '');
}

function isBelow(folder: string, file: string): boolean {
  try {
    return file.startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}
