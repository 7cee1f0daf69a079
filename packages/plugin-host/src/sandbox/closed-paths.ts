import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file or folder of the host's that no plugin may read. */
export interface ClosedPath {
  /** The name by which errors call it: `DATA_DIR`. */
  name: string;
  /** Absolute. It need not be there yet. */
  path: string;
}

/** The identity of what is at a path: two ways to write one path, and two mounts of one folder, have the same. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** The identities of a path and of every folder above it. */
function identitiesUp(path: string): string[] {
  const identities: string[] = [];
  for (let at = realPath(path); ; at = dirname(at)) {
    const identity = identityOf(at);
    if (identity !== undefined) identities.push(identity);
    if (at === dirname(at)) return identities;
  }
}

/** Where a path leads, also one to what is not there yet. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : `${realPath(folder)}/${path.slice(folder.length).replace(/^[\\/]/, '')}`;
  }
}

/**
 * Answers, for a file or folder, the name of what it holds, is, or lies in of what is closed; undefined when a plugin may
 * read it.
 */
export function closedPaths(closed: readonly ClosedPath[]): (path: string) => string | undefined {
  return (path) => {
    const own = identityOf(path);
    const above = new Set(identitiesUp(path));
    return closed.find((one) => {
      const closedIdentity = identityOf(one.path);
      if (closedIdentity !== undefined && above.has(closedIdentity)) return true;
      return own !== undefined && identitiesUp(one.path).includes(own);
    })?.name;
  };
}
