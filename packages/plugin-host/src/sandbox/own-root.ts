import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';

/** The contents of a child's file system. */
export interface RootContents {
  /** Executable files, mounted with the libraries that they need. */
  programs: readonly string[];
  /** Readable files and folders; a trailing `*` matches every name with this prefix. */
  readable: readonly string[];
  /** Writable files and folders. */
  writable: readonly string[];
}

/** One entry of a file system, as the script of `launch.ts` creates it. */
export type RootPart =
  | { kind: 'link'; path: string }
  | { kind: 'folder' | 'file'; path: string; options: string };

const optionsOf = {
  programs: 'bind,ro,nosuid,nodev',
  readable: 'bind,ro,nosuid,nodev,noexec',
  writable: 'bind,rw,nosuid,nodev,noexec',
} as const;

/**
 * Returns the entries of a file system that contains only these files, at their own paths: links on the paths
 * to them, and mounts of the system's files. A folder comes before its contents.
 * @param mounts roots of other file systems. If they are inside a listed folder, their contents are omitted.
 */
export function rootParts(contents: RootContents, mounts: readonly string[] = mountPoints()): RootPart[] {
  const links = new Set<string>();
  const shown = new Map<string, { folder: boolean; options: string }>();

  const add = (path: string, options: string): void => {
    const real = follow(path, links);
    const state = real === undefined ? undefined : lstatSync(real);
    if (real === undefined || state === undefined) return;
    if (state.isDirectory() && mounts.some((mount) => mount.startsWith(real + sep))) {
      // Mounting the folder would include the file systems that are mounted inside it.
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

/** Returns the target of a path; undefined if nothing exists there. Records the links on the path. */
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
  // Some paths are listed only so that Node sees that they do not exist. They need no entry.
  const folder = beginning.endsWith(sep) ? beginning : dirname(beginning);
  if (!existsSync(folder)) return [];
  const start = beginning.endsWith(sep) ? '' : basename(beginning);
  const names = readdirSync(folder).filter((name) => name.startsWith(start));
  return names.map((name) => join(folder, name));
}

/** Roots of mounted file systems, except that of the root file system. */
function mountPoints(): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map((path) =>
      path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
    )
    .filter((path) => path !== '/');
}
