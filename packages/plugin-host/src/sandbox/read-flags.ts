import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Paths as options of Node's permission model. It does not find a path that is a link to a folder and whose name begins
 * that of another one (`asn1-x509`, `asn1-x509-attr`): such a link is given as a beginning, `asn1-x509*`. That stands
 * for every name that begins so, and, as Node compares, for the name without its last characters: only where all of
 * these may be read anyhow.
 */
export function readFlags(paths: readonly string[]): string[] {
  const known = new Set(paths);
  const sorted = paths.toSorted();
  const begun = new Set(sorted.filter((_, index) => hasLonger(sorted, index)));
  const wide = paths.filter((path) => begun.has(path) && isLink(path) && isAllKnown(path, known));
  // Paths that a beginning stands for must not be given again: Node then finds neither.
  const others = paths.filter((path) => !wide.some((beginning) => path.startsWith(beginning)));
  return [...wide.map((path) => `${path}*`), ...others].map((path) => `--allow-fs-read=${path}`);
}

/** Whether some other name goes on where that of a path ends: all that begin with it stand behind it. */
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

/** Whether everything that the beginning stands for is among what may be read. */
function isAllKnown(path: string, known: ReadonlySet<string>): boolean {
  const name = basename(path);
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((entry) => entry.startsWith(name) || (name.startsWith(entry) && entry.length > name.length - 3))
    .every((entry) => known.has(join(folder, entry)));
}
