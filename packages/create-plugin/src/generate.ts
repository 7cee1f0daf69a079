import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Language } from './languages.ts';

const own = fileURLToPath(new URL('..', import.meta.url));
const technologyName = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The package to create. */
export interface Wanted {
  /** A new or empty folder, or a repository without files. */
  folder: string;
  language: Language;
  /** The technology's name. Default: the folder's, without `ledger-ops-plugin-`. */
  name?: string;
}

/** Returns the technology's name that a folder suggests. */
export const nameOf = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/^ledger-ops-plugin-/, '');

/** Quotes an argument for a shell. */
export const quoted = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Creates a package from a template: copies it and replaces the names of the toy ledger and of its folder.
 * @returns the technology's name
 * @throws TypeError for an invalid name, or a folder that is not empty
 */
export function generate({ folder, language, name = nameOf(folder) }: Wanted): string {
  if (!technologyName.test(name)) {
    throw new TypeError(
      `${name} is not a valid technology name. Use --name with up to 64 lower-case letters, digits and hyphens.`,
    );
  }
  const target = resolve(folder);
  const isThere = existsSync(target) && readdirSync(target).some((one) => one !== '.git');
  if (isThere) throw new TypeError(`${folder} is not empty. Choose a new or empty folder.`);
  const title = name.replaceAll(/(^|-)([a-z0-9])/g, (_, dash, first) => (dash && ' ') + first.toUpperCase());
  const { version }: { version: string } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  const template = join(own, 'templates', language);
  const replacements: Readonly<Record<string, string>> = {
    ...{ 'acorn-folder': quoted(basename(target)), acorn: name, Acorn: title },
  };
  for (const file of readdirSync(template, { recursive: true, withFileTypes: true })) {
    const place = relative(template, file.parentPath);
    if (!file.isFile() || /node_modules|__pycache__/.test(place)) continue;
    // If the template contained these files under their own names, npm would apply them to this package, and not pack
    // `.npmrc`.
    const path = join(target, place, file.name.replace(/^_(?=gitignore$|npmrc$)/, '.'));
    const source = readFileSync(join(file.parentPath, file.name), 'utf8');
    const text = source.replaceAll(/acorn-folder|acorn|Acorn/g, (word) => replacements[word] ?? word);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.name === 'package.json' ? withVersions(text, version) : text);
  }
  return name;
}

/** Sets the versions of the adapter contract and its kit, which equal the version of this package. */
function withVersions(manifest: string, version: string): string {
  return manifest.replaceAll(/("@ledger-ops\/[a-z-]+": )"[^"]+"/g, `$1"^${version}"`);
}
