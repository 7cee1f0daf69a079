import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, parse, relative, sep } from 'node:path';
import { z } from 'zod';

const manifest = z.object({ workspaces: z.unknown().optional() });

/**
 * The folder of the workspace that a package belongs to: the nearest one upwards that says so, in a
 * `pnpm-workspace.yaml` or by `workspaces` in its package.json. What is installed in a `node_modules` belongs to none.
 * @param folder of the package, not through links.
 * @param top the last folder that may be it. Absent: any above.
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
