import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, parse, relative, sep } from 'node:path';
import { z } from 'zod';

const manifest = z.object({ workspaces: z.unknown().optional() });

/**
 * Returns the workspace that a package belongs to: the nearest folder above it with a `pnpm-workspace.yaml`,
 * or with `workspaces` in its package.json. Packages in a `node_modules` folder belong to no workspace.
 * @param folder the package's real path.
 * @param top the highest folder that is searched. Default: the root.
 */
export function workspaceOf(folder: string, top = parse(folder).root): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (isWorkspace(at)) return relative(at, folder).split(sep).includes('node_modules') ? undefined : at;
    if (at === top || at === dirname(at)) return undefined;
  }
}

function isWorkspace(folder: string): boolean {
  if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return true;
  try {
    const read = manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    return read.workspaces !== undefined;
  } catch {
    return false;
  }
}
