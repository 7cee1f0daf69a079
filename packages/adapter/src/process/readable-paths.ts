import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { z } from 'zod';

const manifest = z.object({
  dependencies: z.record(z.string(), z.unknown()).optional(),
  optionalDependencies: z.record(z.string(), z.unknown()).optional(),
  peerDependencies: z.record(z.string(), z.unknown()).optional(),
});

/** The folder of the package that a file belongs to; undefined when it belongs to none. */
function packageFolder(file: string): string | undefined {
  for (let folder = dirname(file); folder !== parse(folder).root; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}

function dependenciesOf(folder: string): string[] {
  try {
    const read = manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    return Object.keys({ ...read.dependencies, ...read.optionalDependencies, ...read.peerDependencies });
  } catch {
    // A package without a readable manifest has no dependencies; its own import says what is wrong.
    return [];
  }
}

/**
 * What a module must be able to read in order to be imported: its package's folder and those of the packages
 * that it depends on, directly or not, by their places and, where these are links, by what they lead to.
 * A file outside any package may read itself only.
 * @param file absolute, not through links.
 */
export function readablePaths(file: string): string[] {
  const own = packageFolder(file);
  if (own === undefined) return [file];
  const paths = new Set<string>([own]);
  const visited = new Set<string>([own]);
  // Grows while it is read.
  for (const folder of visited) {
    for (const name of dependenciesOf(folder)) {
      const place = findPackage(folder, name);
      if (place === undefined) continue;
      const real = realpathSync(place);
      paths.add(place).add(real);
      visited.add(real);
    }
  }
  return wholeNames([...paths]);
}

/**
 * Node's permission model does not find a folder whose name begins the name of another one that may be read
 * (`asn1-x509`, `asn1-x509-attr`): such a one is given as a beginning, which stands for the others too.
 */
function wholeNames(paths: readonly string[]): string[] {
  const beginnings = paths.filter((path) =>
    paths.some((other) => other.startsWith(path) && !/^(?:$|[\\/])/.test(other.slice(path.length))),
  );
  const others = paths.filter((path) => !beginnings.some((beginning) => path.startsWith(beginning)));
  return [...beginnings.map((path) => `${path}*`), ...others];
}

/** Where Node's resolution finds a package, seen from a folder. */
function findPackage(folder: string, name: string): string | undefined {
  for (let up = folder; ; up = dirname(up)) {
    const place = join(up, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
    if (up === parse(up).root) return undefined;
  }
}
