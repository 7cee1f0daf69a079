import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';

/** The contents of a child's own file system. */
export interface RootContents {
  /** Files that are run, with the libraries that they need. */
  programs: readonly string[];
  /** Files and folders to read; one that ends with `*` stands for everything whose name begins so. */
  readable: readonly string[];
  /** Files and folders to write. */
  writable: readonly string[];
}

/** One thing of a file system, as the script of `launch.ts` makes it. */
export type RootPart =
  | { kind: 'link'; path: string }
  | { kind: 'folder' | 'file'; path: string; options: string };

const optionsOf = {
  programs: 'bind,ro,nosuid,nodev',
  readable: 'bind,ro,nosuid,nodev,noexec',
  writable: 'bind,rw,nosuid,nodev,noexec',
} as const;

/**
 * The parts of a file system in which each of these has its own path, and nothing else is: links on the way to them,
 * and what is shown of the system's files. A folder comes before what is in it.
 * @param mounts where other file systems begin. What of them is in a folder is left out: it was not meant.
 */
export function rootParts(contents: RootContents, mounts: readonly string[] = mountPoints()): RootPart[] {
  const links = new Set<string>();
  const shown = new Map<string, { folder: boolean; options: string }>();

  const add = (path: string, options: string): void => {
    const real = follow(path, links);
    const state = real === undefined ? undefined : lstatSync(real);
    if (real === undefined || state === undefined) return;
    if (state.isDirectory() && mounts.some((mount) => mount.startsWith(real + sep))) {
      // A file system cannot be shown without those that begin in it.
      for (const entry of readdirSync(real)) {
        const inside = join(real, entry);
        if (!mounts.includes(inside)) add(inside, options);
      }
      return;
    }
    if (state.isDirectory() || state.isFile()) shown.set(real, { folder: state.isDirectory(), options });
  };

  for (const path of contents.readable.flatMap(expanded)) add(path, optionsOf.readable);
  for (const path of contents.writable) add(path, optionsOf.writable);
  for (const path of contents.programs) add(path, optionsOf.programs);

  const isShown = (path: string, options?: string): boolean => {
    for (let up = dirname(path); up !== parse(up).root; up = dirname(up)) {
      const found = shown.get(up);
      if (found !== undefined) return options === undefined || found.options === options;
    }
    return false;
  };
  const parts: RootPart[] = [];
  for (const path of links) if (!isShown(path)) parts.push({ kind: 'link', path });
  for (const path of [...shown.keys()].toSorted((one, other) => one.length - other.length)) {
    const { folder, options } = shown.get(path) ?? { folder: false, options: '' };
    if (!isShown(path, options)) parts.push({ kind: folder ? 'folder' : 'file', path, options });
  }
  return parts;
}

/** Where a path leads, links written down; undefined when there is nothing. */
function follow(path: string, links: Set<string>): string | undefined {
  const { root } = parse(path);
  let at = root;
  let rest = path.slice(root.length).split(sep);
  for (let hops = 0; rest.length > 0; ) {
    const [name = '', ...more] = rest;
    rest = more;
    if (name === '') continue;
    const next = join(at, name);
    const state = lstatSync(next, { throwIfNoEntry: false });
    if (state === undefined) return undefined;
    if (!state.isSymbolicLink()) {
      at = next;
      continue;
    }
    hops += 1;
    if (hops > 40) return undefined;
    const target = readlinkSync(next);
    links.add(next);
    rest = [...resolve(at, target).slice(root.length).split(sep), ...rest];
    at = root;
  }
  return at;
}

function expanded(path: string): string[] {
  if (!path.endsWith('*')) return [path];
  const beginning = path.slice(0, -1);
  // Of what may only be seen not to be there, there is nothing to show.
  const folder = beginning.endsWith(sep) ? beginning : dirname(beginning);
  if (!existsSync(folder)) return [];
  const start = beginning.endsWith(sep) ? '' : basename(beginning);
  const names = readdirSync(folder).filter((name) => name.startsWith(start));
  return names.map((name) => join(folder, name));
}

/** Where file systems begin, but for the root's. */
function mountPoints(): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map((path) =>
      path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
    )
    .filter((path) => path !== '/');
}
