import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns why PostgreSQL cannot be started for tests; undefined if it can. PostgreSQL refuses to run as root, so root
 * starts it as the user `postgres`. That user must be able to enter the folder of the data, and the folder of the
 * program, which is in this repository's folder.
 */
export function findPostgresObstacle(
  paths: readonly string[] = [fileURLToPath(import.meta.url), join(tmpdir(), 'data')],
): string | undefined {
  if (process.getuid?.() !== 0) return;
  const closed = paths.flatMap(foldersOf).find((folder) => (statSync(folder).mode & 0o001) === 0);
  if (closed === undefined) return;
  return `PostgreSQL does not run as root, and its user may not enter ${closed}. Run "chmod o+x ${closed}", use another folder, or run the tests as another user.`;
}

/** Returns the folder of a file, and all folders that contain it. */
function foldersOf(path: string): string[] {
  const folder = dirname(resolve(path));
  return folder === dirname(folder) ? [folder] : [...foldersOf(folder), folder];
}
