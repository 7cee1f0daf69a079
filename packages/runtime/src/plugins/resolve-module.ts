import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Problem } from '@ledger-ops/base';
import { workspaceOf } from '@ledger-ops/plugin-host';
import type { PluginLocation } from '@ledger-ops/registry';
import semver from 'semver';
import { z } from 'zod';
import { type PluginCandidate, type PluginPolicy, unusable } from './types.ts';

/** The location of a module, and whether it may run in this process. */
export interface ResolvedModule {
  /** Absolute path without symbolic links. */
  file: string;
  /** The module's folder without symbolic links. If the module runs in a separate process, it may read this folder. */
  folder: string;
  /**
   * Root of the workspace that contains the folder. For a file URL, the root is not above the folder that the
   * deployer allows.
   */
  workspace: string | undefined;
  trusted: boolean;
}

/** A remote plugin. */
export interface ResolvedRemote {
  /** URL without credentials, query and fragment. */
  url: string;
}

const manifest = z.object({ version: z.string().optional(), exports: z.unknown().optional() });

/**
 * Finds a plugin among the modules that the deployer installed and allowed. Never downloads a module.
 *
 * @throws Problem `no-plugin` if the module is not allowed, does not exist, has another version, or differs from the
 * pinned bytes
 */
export async function resolvePlugin(
  record: PluginCandidate,
  policy: PluginPolicy,
): Promise<ResolvedModule | ResolvedRemote> {
  const refuse = (why: string) => new Problem('no-plugin', unusable(record, why));
  const location = await policy.locate(record.url, '/url').catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    throw refuse(`its URL ${error.errors[0]?.detail ?? 'is not allowed'}`);
  });
  if (location.kind === 'remote') return { url: location.url };
  const { file, folder, allowed } =
    location.kind === 'file'
      ? { ...location, file: location.path }
      : { ...packageModule(location, policy.folder, refuse), allowed: undefined };
  if (!matchesIntegrity(record, file)) {
    const detail = "must match the integrity of the module's file";
    throw new Problem('no-plugin', unusable(record, unpinned), {
      errors: [{ pointer: '/integrity', detail }],
    });
  }
  return { file, folder, workspace: workspaceOf(folder, allowed), trusted: isTrusted(location, policy) };
}

function isTrusted(location: PluginLocation, { trusted }: PluginPolicy): boolean {
  if (location.kind === 'npm') return trusted.packages.includes(location.package);
  if (location.kind !== 'file') return false;
  return trusted.folders.some((folder) => {
    const root = realFolder(folder);
    return root !== null && location.path.startsWith(root + sep);
  });
}

function realFolder(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

type Refuse = (why: string) => Problem;

function packageModule(
  location: PluginLocation & { kind: 'npm' },
  installed: string,
  refuse: Refuse,
): { file: string; folder: string } {
  const base = join(installed, 'package.json');
  const place = manifestOf(location.package, base);
  if (place === null) throw refuse(`the package ${location.package} is not installed on this server`);
  const file = packageFile(location, base, place, refuse);
  const folder = realpathSync(dirname(place));
  if (file.startsWith(folder + sep)) return { file, folder };
  throw refuse(`the package ${location.package} exports a module outside its own folder`);
}

function packageFile(
  { package: name, range }: PluginLocation & { kind: 'npm' },
  base: string,
  place: string,
  refuse: Refuse,
): string {
  const { version, exports } = manifest.parse(JSON.parse(readFileSync(place, 'utf8')));
  if (range !== null && !semver.satisfies(version ?? '', range, { includePrerelease: true })) {
    throw refuse(`version ${version ?? 'unknown'} of ${name} is installed, but ${range} is required`);
  }
  try {
    return realpathSync(createRequire(base).resolve(name));
  } catch {
    // The package supports only `import`.
  }
  const entry = importEntry(exports);
  if (entry === null) throw refuse(`the package ${name} exports no module`);
  try {
    return realpathSync(join(dirname(place), entry));
  } catch {
    throw refuse(`the module that the package ${name} exports does not exist`);
  }
}

function manifestOf(name: string, base: string): string | null {
  try {
    return findPackageJSON(name, pathToFileURL(base)) ?? null;
  } catch {
    return null;
  }
}

/** Returns the file to which `exports` maps an `import` of the package. */
function importEntry(exports: unknown): string | null {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return null;
  const conditions = new Map<string, unknown>(Object.entries(exports));
  const next = ['.', 'node', 'import', 'default'].find((name) => conditions.has(name));
  return next === undefined ? null : importEntry(conditions.get(next));
}

/** Reason for the refusal of a module that does not have its pinned integrity. */
export const unpinned = 'its file does not match the pinned integrity';

/** Whether a module's file has the pinned integrity, if there is one. False if the file cannot be read. */
export function matchesIntegrity({ integrity }: Pick<PluginCandidate, 'integrity'>, file: string): boolean {
  if (integrity === null) return true;
  try {
    return integrity === integrityOf(file);
  } catch {
    return false;
  }
}

/** Computes the integrity of a module's file, in the format of plugin records. */
export function integrityOf(file: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
}
