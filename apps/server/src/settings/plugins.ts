import { realpathSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { z } from '@hono/zod-openapi';
import { type ClosedPath, closedPaths } from '@ledger-ops/plugin-host';
import { createPluginUrls, type PluginAllowList } from '@ledger-ops/registry';
import { list, said } from './setting.ts';

/** The plugins that the deployer allows. */
export interface PluginSettings {
  readonly allowed: PluginAllowList;
  /** Modules that run in the server's process. */
  readonly trusted: { readonly packages: readonly string[]; readonly folders: readonly string[] };
  /** Folder whose `node_modules` has the packages; absolute. */
  readonly folder: string;
  /** Files and folders of the server's own: no module in a process of its own reads it. */
  readonly closed: readonly ClosedPath[];
}

const trustedPlace = z.string().refine(isModule, {
  error: said('must be npm:<package> or file:<absolute folder>'),
});
const place = z.string().refine((entry) => isModule(entry) || /^https?:\/\//.test(entry), {
  error: said('must be npm:<package>, file:<absolute folder> or http(s)://<host>'),
});

/** Schema of what plugins may be. */
export const pluginPlaces = places(place);

/** Schema of modules that run in the server's process. */
export const trustedPlaces = places(trustedPlace);

/** The settings of plugins together. A module that is trusted is allowed. */
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
    // Where the server runs there are its environment, its packages and whatever else it was deployed with.
    closed: [
      ...closed,
      { name: 'working directory', path: resolve('.env') },
      { name: 'PLUGINS_FOLDER', path: resolve(folder, '.env') },
    ],
  };
}

/** Makes the check of a module's place. It says what is wrong there: the server's secrets are. Trusted modules read what they like. */
export function createPlaceCheck({ closed, trusted }: PluginSettings) {
  const holds = closedPaths(closed);
  return (file: string, folder: string): string | undefined => {
    const isTrusted = trusted.folders.some((one) => isBelow(one, file));
    const held = holds(isTrusted ? file : folder);
    if (held === undefined) return undefined;
    return `is in a folder that holds, or lies in, the server's ${held}, which a module may not read: put it into a folder of its own, with a package.json, away from ${held}`;
  };
}

/** Schema of a list of such entries, sorted by their kinds. */
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
