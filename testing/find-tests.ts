import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { slowFiles } from './slow-files.ts';

/** Imports and names in tests and helpers that start processes, servers, browsers or databases. */
const outside =
  /from '(?:node:(?:child_process|cluster|dgram|http|http2|https|net|tls|worker_threads)|pg|playwright-core|undici|@hono\/node-server|@ledger-ops\/devnet[\w-]*(?:\/[\w-]+)?)'|\b(?:openPostgres|startPostgresCluster|describePostgres|openProcessAdapter|openLedgerHarness|holdTable|ReplicatedPostgres|startServer|UtxoNode)\b/;
/** Code of tests that run more cases, or use another database, in `npm run test:faults`. */
const faults = /inject\('faults'\)|describeStores\(/;
const imports = /(?:from |import |import\()'(\.{1,2}\/[^']+\.[tj]s)'/g;
const helper = /^(?:testing|(?:packages|apps|examples)\/[\w-]+\/test|packages\/devnet[\w-]*\/src)\//;
const faultsOnly = '.faults.test.ts';

/**
 * Test files that need no process, browser, database server or network, according to the imports of the files
 * and their helpers, and that are not in slow-files.json. Paths are relative to the root.
 */
export function findUnitTests(patterns: readonly string[], root: string): string[] {
  const reachesOutside = createSearch(root, outside);
  return findTests(patterns, root).filter(
    (path) => !slowFiles.has(path) && !path.endsWith(faultsOnly) && !reachesOutside(path),
  );
}

/**
 * Test files of `npm run test:faults`: those that run only there, and those that run more or different cases
 * there.
 */
export function findFaultTests(patterns: readonly string[], root: string): string[] {
  const reachesFaults = createSearch(root, faults);
  return findTests(patterns, root).filter((path) => path.endsWith(faultsOnly) || reachesFaults(path));
}

const findTests = (patterns: readonly string[], root: string) =>
  globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] }).toSorted();

/** Returns a function that reports whether a test file, or a helper that it imports, matches a pattern. */
function createSearch(root: string, pattern: RegExp): (path: string) => boolean {
  const known = new Map<string, boolean>();
  const has = (path: string): boolean => {
    const found = known.get(path);
    if (found !== undefined) return found;
    // Prevents endless recursion for files that import each other.
    known.set(path, false);
    if (!existsSync(join(root, path))) return false;
    const content = readFileSync(join(root, path), 'utf8');
    const result =
      pattern.test(content) ||
      [...content.matchAll(imports)].some(([, target = '']) => {
        const imported = join(dirname(path), target);
        return helper.test(imported) && has(imported);
      });
    known.set(path, result);
    return result;
  };
  return has;
}
