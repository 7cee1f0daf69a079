import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Language } from './languages.ts';

const own = fileURLToPath(new URL('..', import.meta.url));
const technologyName = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** A package that is to be made. */
export interface Wanted {
  folder: string;
  language: Language;
  /** The technology's name. Default: the folder's, without `ledger-ops-plugin-`. */
  name?: string;
}

/** The technology's name that a folder suggests. */
export const nameOf = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/^ledger-ops-plugin-/, '');

/**
 * Makes the package of a template: a copy in which the toy's name is replaced.
 * @returns the technology's name
 * @throws TypeError that says what is wrong.
 */
export function generate({ folder, language, name = nameOf(folder) }: Wanted): string {
  if (!technologyName.test(name)) {
    throw new TypeError(
      `${name} is no name of a technology: lower-case letters, digits and hyphens, at most 64. Give one with --name.`,
    );
  }
  const target = resolve(folder);
  if (existsSync(target) && readdirSync(target).length > 0) throw new TypeError(`${folder} is not empty.`);
  mkdirSync(target, { recursive: true });
  cpSync(join(own, 'templates', language), target, {
    recursive: true,
    filter: (source) => !/node_modules|__pycache__/.test(source.slice(own.length)),
  });
  // By their own names they would be npm's business where the template lies.
  renameSync(join(target, '_gitignore'), join(target, '.gitignore'));
  renameSync(join(target, '_package.json'), join(target, 'package.json'));
  const title = name.replaceAll(/(^|-)([a-z0-9])/g, (_, dash, first) => (dash && ' ') + first.toUpperCase());
  const { version }: { version: string } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  for (const file of readdirSync(target, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const text = readFileSync(path, 'utf8').replaceAll('acorn', name).replaceAll('Acorn', title);
    writeFileSync(path, file.name === 'package.json' ? withVersions(text, version) : text);
  }
  return name;
}

/** The contract and its kit are released together with this package, under one version. */
function withVersions(manifest: string, version: string): string {
  return manifest.replaceAll(/("@ledger-ops\/[a-z-]+": )"[^"]+"/g, `$1"^${version}"`);
}
