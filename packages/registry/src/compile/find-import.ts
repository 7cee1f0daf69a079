import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';

const library = '@openzeppelin/contracts/';

/** The result that solc expects. */
export type FoundImport = { contents: string } | { error: string };

/**
 * Finds an imported file that the sources do not contain. Only files of the installed `@openzeppelin/contracts` are
 * found; nothing else is read from disk or the network.
 */
export function findImport(path: string): FoundImport {
  const refused = {
    error: `${path.slice(0, 200)} was not found: imports can only refer to the given sources and ${library}`,
  };
  if (!path.startsWith(library) || !/^[A-Za-z0-9@_/.-]+\.sol$/.test(path)) return refused;
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return refused;
  const root = realpathSync(dirname(createRequire(import.meta.url).resolve(`${library}package.json`)));
  try {
    const file = realpathSync(`${root}${sep}${path.slice(library.length)}`);
    if (!file.startsWith(root + sep)) return refused;
    return { contents: readFileSync(file, 'utf8') };
  } catch {
    return refused;
  }
}
