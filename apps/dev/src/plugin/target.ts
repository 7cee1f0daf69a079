import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';

/** The plugin being developed. */
export interface PluginTarget {
  /** Name of the plugin's record. */
  readonly name: string;
  /** URL of the plugin's record. */
  readonly url: string;
  /** The plugin's folder and module file; undefined for a remote plugin. */
  readonly module?: { readonly folder: string; readonly file: string };
  /** Server settings that allow the plugin. */
  readonly allowed: {
    readonly modules: readonly string[];
    readonly folders: readonly string[];
    readonly hosts: readonly string[];
  };
  /** Folder whose `node_modules` contains the plugin's package. */
  readonly pluginsFolder?: string;
}

const manifestSchema = z.object({
  name: z.string().optional(),
  exports: z.unknown().optional(),
  main: z.string().optional(),
});

/**
 * Resolves the value of `--plugin`.
 * @param from folder from which paths and packages are resolved
 * @throws ConfigError if there is no such plugin
 */
export function readTarget(given: string, from: string): PluginTarget {
  if (/^https?:\/\//i.test(given)) return remoteTarget(given);
  // The URL of a registered module contains the path of its file.
  const path = given.startsWith('file:') ? pathOf(given) : given;
  const folder = resolve(from, path);
  if (existsSync(folder)) return folderTarget(realpathSync(folder));
  if (path !== given || /^[./~]|^[a-z]:|\\/i.test(given))
    throw new ConfigError(`--plugin ${given}: there is no such folder.`);
  return packageTarget(given, from);
}

function remoteTarget(given: string): PluginTarget {
  const url = URL.parse(given);
  if (url === null) throw new ConfigError(`--plugin ${given} is not a URL.`);
  const allowed = { modules: [], folders: [], hosts: [url.origin] };
  return { name: `remote ${url.host}`, url: given.replace(/\/+$/, ''), allowed };
}

function pathOf(url: string): string {
  try {
    return url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length);
  } catch {
    throw new ConfigError(`--plugin ${url} is not a URL of this machine. Name the plugin's folder.`);
  }
}

function folderTarget(folder: string): PluginTarget {
  if (!statSync(folder).isDirectory())
    throw new ConfigError(`--plugin ${folder} is a file. Name the folder that contains its package.json.`);
  const { name, file } = readPackage(folder);
  const allowed = { modules: [], folders: [folder], hosts: [] };
  return { name, url: `file:${file}`, module: { folder, file }, allowed };
}

function packageTarget(name: string, from: string): PluginTarget {
  for (let above = from; ; above = dirname(above)) {
    const place = join(above, 'node_modules', name);
    if (existsSync(place)) {
      const folder = realpathSync(place);
      const module = { folder, file: readPackage(folder).file };
      const allowed = { modules: [name], folders: [], hosts: [] };
      return { name, url: `npm:${name}`, module, allowed, pluginsFolder: above };
    }
    if (above === dirname(above)) break;
  }
  throw new ConfigError(
    `--plugin ${name}: there is no such folder, and no such package is installed in ${from} or above. Name the plugin's folder, or install the package there with npm.`,
  );
}

/** @throws ConfigError if the folder's package has no module */
function readPackage(folder: string): { name: string; file: string } {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) throw new ConfigError(`--plugin ${folder}: there is no package.json in it.`);
  const { name = folder, exports, main } = readManifest(path);
  const entry = entryOf(exports) ?? main;
  if (entry === undefined) throw new ConfigError(`${path} names no module. Add "exports".`);
  const file = join(folder, entry);
  if (existsSync(file)) return { name, file };
  throw new ConfigError(
    `${path} names ${entry}, which does not exist. Build the plugin first: npm run build.`,
  );
}

function readManifest(file: string): z.output<typeof manifestSchema> {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new ConfigError(`${file} cannot be read.`);
  }
}

/** Returns the file to which `exports` resolves an import of the package's root. */
function entryOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const conditions = new Map<string, unknown>(Object.entries(exports));
  const next = ['.', 'node', 'import', 'default'].find((condition) => conditions.has(condition));
  return next === undefined ? undefined : entryOf(conditions.get(next));
}
