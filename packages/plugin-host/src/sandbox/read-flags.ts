import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Converts paths to options of Node's permission model. Node fails to find a link to a folder if its name is
 * a prefix of another name (`asn1-x509`, `asn1-x509-attr`). Such a link is passed as the prefix `asn1-x509*`,
 * which matches every name with this prefix and, because of how Node compares, also the name without its last
 * characters. So the prefix is used only if all of these paths may be read.
 */
export function readFlags(paths: readonly string[]): string[] {
  const known = new Set(paths);
  const sorted = paths.toSorted();
  const begun = new Set(sorted.filter((_, index) => hasLonger(sorted, index)));
  const wide = paths.filter((path) => begun.has(path) && isLink(path) && isAllKnown(path, known));
  // Paths that match a prefix must not be listed again, because Node then finds neither.
  const others = paths.filter((path) => !wide.some((beginning) => path.startsWith(beginning)));
  return [...wide.map((path) => `${path}*`), ...others].map((path) => `--allow-fs-read=${path}`);
}

/** Whether another name starts with this path. Such names follow the path in the sorted list. */
function hasLonger(sorted: readonly string[], index: number): boolean {
  const path = sorted[index] ?? '';
  for (let at = index + 1; ; at += 1) {
    const other = sorted[at];
    if (other === undefined || !other.startsWith(path)) return false;
    if (/^[^\\/]/.test(other.slice(path.length))) return true;
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Whether all paths that the prefix matches may be read. */
function isAllKnown(path: string, known: ReadonlySet<string>): boolean {
  const name = basename(path);
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((entry) => entry.startsWith(name) || (name.startsWith(entry) && entry.length > name.length - 3))
    .every((entry) => known.has(join(folder, entry)));
}
