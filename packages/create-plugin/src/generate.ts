import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Language } from './languages.ts';

const own = fileURLToPath(new URL('..', import.meta.url));
const technologyName = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** A package that is to be made. */
export interface Wanted {
  /** New, empty, or a repository without files. */
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
  const isThere = existsSync(target) && readdirSync(target).some((one) => one !== '.git');
  if (isThere) throw new TypeError(`${folder} is not empty.`);
  const title = name.replaceAll(/(^|-)([a-z0-9])/g, (_, dash, first) => (dash && ' ') + first.toUpperCase());
  const { version }: { version: string } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  const template = join(own, 'templates', language);
  for (const file of readdirSync(template, { recursive: true, withFileTypes: true })) {
    const place = relative(template, file.parentPath);
    if (!file.isFile() || /node_modules|__pycache__/.test(place)) continue;
    // By its own name it would be npm's business where the template lies.
    const path = join(target, place, file.name.replace('_gitignore', '.gitignore'));
    const source = readFileSync(join(file.parentPath, file.name), 'utf8');
    const text = source.replaceAll('acorn', name).replaceAll('Acorn', title);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.name === 'package.json' ? withVersions(text, version) : text);
  }
  return name;
}

/** The contract and its kit are released together with this package, under one version. */
function withVersions(manifest: string, version: string): string {
  return manifest.replaceAll(/("@ledger-ops\/[a-z-]+": )"[^"]+"/g, `$1"^${version}"`);
}
