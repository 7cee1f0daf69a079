import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file or folder of the host that no plugin may read. */
export interface ClosedPath {
  /** Name used in errors: `DATA_DIR`. */
  name: string;
  /** Absolute. It need not exist yet. */
  path: string;
}

/**
 * Returns the identity of a file. It is equal for two spellings of a path, and for two mounts of a folder.
 */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** Returns the identities of a path and of every folder above it. */
function identitiesUp(path: string): string[] {
  const identities: string[] = [];
  for (let at = realPath(path); ; at = dirname(at)) {
    const identity = identityOf(at);
    if (identity !== undefined) identities.push(identity);
    if (at === dirname(at)) return identities;
  }
}

/** Returns the real path, even if the file does not exist yet. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : `${realPath(folder)}/${path.slice(folder.length).replace(/^[\\/]/, '')}`;
  }
}

/**
 * Returns a function that checks whether a file or folder is a closed path, is inside one, or contains one.
 * If so, the function returns the name of the closed path; otherwise undefined.
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
