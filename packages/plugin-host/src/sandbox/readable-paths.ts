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
const notInstalled = 'files outside of its folder, its workspace and every node_modules';
const packageName = /^(?:@[A-Za-z0-9~-][\w.~-]*\/)?[A-Za-z0-9_~-][\w.~-]*$/;

/** The paths that a module in a child process may read. */
export interface Readable {
  /** Files, folders with everything in them, and links to those; none begins a longer name. */
  paths: string[];
  /** Folders of packages that are not there, and where Node must see that. */
  absent: string[];
  /** Dependencies that stay closed, since something of the host's could be read through them. */
  leftOut: { dependency: string; holds: string }[];
}

/** The folder of the package that a file belongs to; undefined when it belongs to none. */
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
    // A name is a folder in node_modules, and no way out of it.
    return all.filter((name) => packageName.test(name));
  } catch {
    // A package without a readable manifest has no dependencies; its own import says what is wrong.
    return [];
  }
}

/** Where Node's resolution finds a package, seen from a folder, and where it looks in vain before. */
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
  /** Nothing of the folder is left out. */
  isWhole: boolean;
}

/**
 * A package's folder without the packages that are installed in it, and without links that lead elsewhere: Node's
 * permission model looks at names, and follows every link.
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

/** Where a module is, and what is the host's. */
interface Place {
  /** The module's own folder. */
  home: string;
  /** The workspace that it belongs to. */
  workspace: string | undefined;
  holds: ReturnType<typeof closedPaths>;
}

/** A link that is, or is in, a folder of packages. */
interface Link {
  /** The package that the link is for. */
  from: string;
  /** Where that folder of packages is. */
  above: string;
  real: string;
}

/**
 * Whoever wrote a module wrote the links in its folder too: these lead to packages that are installed somewhere, to
 * others of its workspace, and nowhere else. Folders of packages above the module's are the deployer's, and so are
 * their links.
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

/** The reason not to follow a link to a package, if there is one: through it everything below has a name that may be read. */
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

/** The same, of what is in a folder; `above` is given in a folder of packages, and says where that is. */
async function closedBelow(
  folder: string,
  above: string | undefined,
  within: { real: string; place: Place; seen: Set<string> },
): Promise<string | undefined> {
  // A path that is no folder has nothing below it.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    let found: string | undefined;
    if (entry.isDirectory()) {
      found = await closedBelow(path, entry.name === 'node_modules' ? folder : above, within);
    } else if (entry.isSymbolicLink() && !(await isFileOf(path, within.real))) {
      found =
        above === undefined
          ? 'links that lead out of it'
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
 * The paths that a module must be able to read in order to be imported: its own folder, and the packages that the nearest
 * package.json upwards names, with theirs, wherever these are installed.
 * @param plugin the name by which errors call it.
 * @param file absolute, not through links.
 * @param own the module's own folder, not through links; absent: its package's, or the file alone where it has none.
 * @param workspace the folder of the workspace that the module belongs to, to whose packages its links may lead.
 * @throws AdapterError `adapter-fault` when something closed could be read.
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
  // The names that a manifest above the folder gives count; the folder of that manifest does not.
  const visited = new Set([home, packageFolder(file) ?? home]);
  const places = new Set<string>();
  const absent = new Set<string>();
  // Grows while it is read.
  for (const folder of visited) {
    for (const name of dependenciesOf(folder)) {
      const { found, missed } = findPackage(folder, name);
      // Refused, instead of told that nothing is there, Node would not look any further.
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
  const detail = `The plugin ${plugin} cannot run in a process of its own: its folder holds, or lies in, the server's ${held}, which the process could read. Put the module into a folder of its own, with a package.json, away from ${held}.`;
  return adapterError('adapter-fault', detail, { phase: 'open' });
}

/** Node reads a star in a path as anything. */
function unstarred(plugin: string, path: string): string {
  if (!path.includes('*')) return path;
  const detail = `The plugin ${plugin} cannot run in a process of its own: the path of its folder has a * in it. Rename it.`;
  throw adapterError('adapter-fault', detail, { phase: 'open' });
}
