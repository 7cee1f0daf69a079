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

/** Where a module is, and whether it may run in this process. */
export interface ResolvedModule {
  /** Absolute, not through links. */
  file: string;
  /** Its own folder, which it may read in a process of its own; not through links. */
  folder: string;
  /** The workspace that the folder belongs to: within the folder that the deployer allows, or where the package is from. */
  workspace: string | undefined;
  trusted: boolean;
}

/** A plugin that runs elsewhere. */
export interface ResolvedRemote {
  /** Without credentials, query and fragment. */
  url: string;
}

const manifest = z.object({ version: z.string().optional(), exports: z.unknown().optional() });

/**
 * Finds a plugin among what the deployer has installed and allowed; no module is ever fetched.
 *
 * @throws Problem `no-plugin`: it is not allowed, not there, of another version or not the bytes that were pinned
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
  if (record.integrity !== null && record.integrity !== integrityOf(file)) {
    const detail = 'is not that of its file';
    const why = 'its file is not the one whose integrity is pinned';
    throw new Problem('no-plugin', unusable(record, why), { errors: [{ pointer: '/integrity', detail }] });
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
  throw refuse(`the module that the package ${location.package} exports lies outside of the package`);
}

function packageFile(
  { package: name, range }: PluginLocation & { kind: 'npm' },
  base: string,
  place: string,
  refuse: Refuse,
): string {
  const { version, exports } = manifest.parse(JSON.parse(readFileSync(place, 'utf8')));
  if (range !== null && !semver.satisfies(version ?? '', range, { includePrerelease: true })) {
    throw refuse(`${name} is installed in version ${version ?? 'unknown'}, and ${range} is wanted`);
  }
  try {
    return realpathSync(createRequire(base).resolve(name));
  } catch {
    // A package for `import` only.
  }
  const entry = importEntry(exports);
  if (entry === null) throw refuse(`the package ${name} exports no module`);
  try {
    return realpathSync(join(dirname(place), entry));
  } catch {
    throw refuse(`the module that the package ${name} exports is not there`);
  }
}

function manifestOf(name: string, base: string): string | null {
  try {
    return findPackageJSON(name, pathToFileURL(base)) ?? null;
  } catch {
    return null;
  }
}

/** The file that `exports` gives to an `import` of the package itself. */
function importEntry(exports: unknown): string | null {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return null;
  const conditions = new Map<string, unknown>(Object.entries(exports));
  const next = ['.', 'node', 'import', 'default'].find((name) => conditions.has(name));
  return next === undefined ? null : importEntry(conditions.get(next));
}

/** The form in which the integrity of a module's file is pinned. */
export function integrityOf(file: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
}
