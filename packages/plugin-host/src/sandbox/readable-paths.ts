import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { dirname, join, parse, sep } from 'node:path';
import { adapterError } from '@ledger-ops/adapter';
import { z } from 'zod';
import { type ClosedPath, closedPaths, realPath } from './closed-paths.ts';
import { workspaceOf } from './workspace.ts';

const manifest = z.object({
  dependencies: z.record(z.string(), z.unknown()).optional(),
  optionalDependencies: z.record(z.string(), z.unknown()).optional(),
  peerDependencies: z.record(z.string(), z.unknown()).optional(),
});
const notInstalled = 'files outside its folder, its workspace and every node_modules';
const packageName = /^(?:@[A-Za-z0-9~-][\w.~-]*\/)?[A-Za-z0-9_~-][\w.~-]*$/;

/** The paths that a module in a child process may read. */
export interface Readable {
  /** Files, folders with their contents, and links to those. None is a prefix of a longer name. */
  paths: string[];
  /** Missing package folders. Node must see that they do not exist. */
  absent: string[];
  /**
   * Dependencies that the module may not read, because a path or link to them would expose protected files of
   * the host (`holds`).
   */
  leftOut: { dependency: string; holds: string }[];
}

/** Returns the folder of the package that a file belongs to; undefined if there is none. */
export function packageFolder(file: string): string | undefined {
  for (let folder = dirname(file); folder !== parse(folder).root; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}

function dependenciesOf(folder: string): string[] {
  try {
    const read = manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    const all = Object.keys({ ...read.dependencies, ...read.optionalDependencies, ...read.peerDependencies });
    // A name must be a folder in node_modules, not a path that leads out of it.
    return all.filter((name) => packageName.test(name));
  } catch {
    // A package whose manifest cannot be read has no dependencies. Importing it reports the fault.
    return [];
  }
}

/**
 * Returns the place where Node's resolution finds a package from a folder, and the paths that Node tries
 * before.
 */
function findPackage(
  folder: string,
  name: string,
): { found: { place: string; above: string } | undefined; missed: string[] } {
  const missed: string[] = [];
  for (let up = folder; ; up = dirname(up)) {
    const place = join(up, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return { found: { place, above: up }, missed };
    const isMissing = lstatSync(place, { throwIfNoEntry: false }) === undefined;
    if (isMissing && existsSync(join(up, 'node_modules'))) missed.push(place);
    if (up === parse(up).root) return { found: undefined, missed };
  }
}

interface Cover {
  paths: string[];
  /** Whether the whole folder is included. */
  isWhole: boolean;
}

/**
 * Returns a package's folder, without installed packages and without links that lead elsewhere. The links are
 * omitted because Node's permission model compares names and follows every link.
 */
async function coverOf(folder: string, top = folder): Promise<Cover> {
  const cover: Cover = { paths: [], isWhole: true };
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name === 'node_modules') cover.isWhole = false;
    else if (entry.isDirectory()) {
      const below = await coverOf(path, top);
      cover.paths.push(...below.paths);
      cover.isWhole &&= below.isWhole;
    } else if (entry.isFile() || (await isFileOf(path, top))) cover.paths.push(path);
    else cover.isWhole = false;
  }
  return cover.isWhole ? { ...cover, paths: [folder] } : cover;
}

/** Whether a link leads to a file of the same package. */
async function isFileOf(link: string, top: string): Promise<boolean> {
  try {
    const real = await realpath(link);
    const isInside =
      real.startsWith(top + sep) && !real.slice(top.length).split(sep).includes('node_modules');
    return (
      isInside &&
      (await readdir(real).then(
        () => false,
        () => true,
      ))
    );
  } catch {
    return false;
  }
}

/** The module's location. */
interface Place {
  /** The module's own folder. */
  home: string;
  /** The workspace that the package belongs to. */
  workspace: string | undefined;
  holds: ReturnType<typeof closedPaths>;
}

/** A link that is, or is inside, a node_modules folder. */
interface Link {
  /** The package that the link is for. */
  from: string;
  /** The folder that contains this node_modules. */
  above: string;
  real: string;
}

/**
 * The module's author created the links in its folder, so these may lead only to installed packages and to
 * packages of its workspace. The deployer controls the node_modules folders above the module, including their
 * links.
 */
function mayLead({ from, above, real }: Link, { home, workspace }: Place): boolean {
  if (isBelow(real, home) || isBelow(home, above)) return true;
  if (dirname(real).split(sep).includes('node_modules')) return true;
  const around = from === home || isBelow(from, home) ? workspace : workspaceOf(from);
  return around !== undefined && isBelow(real, around);
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * Returns why a link to a package must not be readable; undefined if it may be readable. A readable link
 * makes everything below it readable.
 */
async function closedThrough(
  link: Link,
  place: Place,
  seen = new Set<string>(),
): Promise<string | undefined> {
  const { real } = link;
  if (seen.has(real)) return undefined;
  seen.add(real);
  if (isBelow(place.home, real)) return 'all files around it';
  const held = place.holds(real);
  if (held !== undefined) return held;
  if (!mayLead(link, place)) return notInstalled;
  return closedBelow(real, undefined, { real, place, seen });
}

/**
 * Returns why the contents of a folder must not be readable; undefined if they may be readable. If the folder
 * is inside a node_modules folder, `above` is the location of that node_modules folder.
 */
async function closedBelow(
  folder: string,
  above: string | undefined,
  within: { real: string; place: Place; seen: Set<string> },
): Promise<string | undefined> {
  // A path that is not a folder has nothing below it.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    let found: string | undefined;
    if (entry.isDirectory()) {
      found = await closedBelow(path, entry.name === 'node_modules' ? folder : above, within);
    } else if (entry.isSymbolicLink() && !(await isFileOf(path, within.real))) {
      found =
        above === undefined
          ? 'symbolic links that point outside of it'
          : await closedThrough(
              { from: within.real, above, real: realPath(path) },
              within.place,
              within.seen,
            );
    }
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the paths that a module must read to be imported: its own folder, and the installed dependencies of
 * the nearest package.json above it, with their dependencies.
 * @param plugin name used in errors.
 * @param file real path of the module.
 * @param own real path of the module's folder. Default: the folder of its package, or only the file if it has
 * no package.
 * @param workspace folder of the module's workspace, to whose packages its links may lead.
 * @throws AdapterError `adapter-fault` if a closed path could be read.
 */
export async function readablePaths(
  plugin: string,
  file: string,
  own: string | undefined,
  closed: readonly ClosedPath[],
  workspace?: string,
): Promise<Readable> {
  const holds = closedPaths(closed);
  const home = own ?? packageFolder(file);
  const held = holds(home ?? file);
  if (held !== undefined) throw inReach(plugin, held);
  if (home === undefined) return { paths: [unstarred(plugin, file)], absent: [], leftOut: [] };

  const { paths: ownPaths } = await coverOf(unstarred(plugin, home));
  const paths = new Set(ownPaths);
  const leftOut: Readable['leftOut'] = [];
  // A package.json above the folder provides dependencies, but its own folder stays unreadable.
  const visited = new Set([home, packageFolder(file) ?? home]);
  const places = new Set<string>();
  const absent = new Set<string>();
  // The loop adds folders to this set.
  for (const folder of visited) {
    for (const name of dependenciesOf(folder)) {
      const { found, missed } = findPackage(folder, name);
      // Node must see that these do not exist. If access were denied, it would not search further.
      for (const path of missed) absent.add(path);
      if (found === undefined || places.has(found.place)) continue;
      const { place, above } = found;
      places.add(place);
      const real = realpathSync(place);
      const link = { from: folder, above, real };
      const through = place === real ? holds(real) : await closedThrough(link, { home, workspace, holds });
      if (through !== undefined) {
        leftOut.push({ dependency: name, holds: through });
        continue;
      }
      for (const path of (await coverOf(real)).paths) paths.add(path);
      if (place !== real) paths.add(place);
      visited.add(real);
    }
  }
  const withoutStar = (all: Set<string>) => [...all].filter((path) => !path.includes('*'));
  return { paths: withoutStar(paths), absent: withoutStar(absent), leftOut };
}

function inReach(plugin: string, held: string) {
  const detail = `The plugin ${plugin} cannot run in a separate process: its folder contains, or is in, the server's ${held}, so the process could read it. Put the module into a separate folder with a package.json, away from ${held}.`;
  return adapterError('adapter-fault', detail, { phase: 'open' });
}

/** Node treats a star in a path as a wildcard. */
function unstarred(plugin: string, path: string): string {
  if (!path.includes('*')) return path;
  const detail = `The plugin ${plugin} cannot run in a separate process: the path of its folder contains a *. Rename the folder.`;
  throw adapterError('adapter-fault', detail, { phase: 'open' });
}
