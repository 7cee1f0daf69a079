import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Pages outside of docs: file, and address on the site. */
const elsewhere: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': 'contributing.md',
  'apps/cli/README.md': 'cli-package.md',
  'apps/console/README.md': 'console-package.md',
  'apps/dev/README.md': 'development.md',
  'apps/server/README.md': 'server.md',
  'bench/README.md': 'benches.md',
  'deploy/README.md': 'deploy.md',
  'docs/decisions/README.md': 'decisions.md',
  ...Object.fromEntries(
    globSync('{examples,packages}/*/README.md', { cwd: root }).map((file) => [
      file,
      file.replace('/README.md', '.md'),
    ]),
  ),
};

const all = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules', '**/dist', '**/.*'] });

/** Files of the repository and their addresses on the site. */
export const pages: ReadonlyMap<string, string> = new Map([
  ...Object.entries(elsewhere).filter(([file]) => existsSync(`${root}${file}`)),
  ...all
    .filter((file) => file.startsWith('docs/') && elsewhere[file] === undefined)
    .map((file) => [file, file.slice('docs/'.length)] as const),
]);

/** Folder where the pages are collected. It is below docs, because VitePress resolves packages from there. */
export const folder = `${root}docs/.site/`;

/** Copies all pages and their pictures to this folder. */
export function collectPages(): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [file, place] of pages) {
    mkdirSync(dirname(`${folder}${place}`), { recursive: true });
    copyFileSync(`${root}${file}`, `${folder}${place}`);
  }
  cpSync(`${root}docs/pictures`, `${folder}pictures`, { recursive: true });
  // The site's favicon and the picture of link previews.
  mkdirSync(`${folder}public`, { recursive: true });
  copyFileSync(`${root}apps/console/public/mark.svg`, `${folder}public/mark.svg`);
  copyFileSync(`${root}docs/pictures/social-card.png`, `${folder}public/social-card.png`);
  // Copies the generated files: tables that pages include, and the API reference at /docs.
  cpSync(`${root}docs/.generated`, folder, { recursive: true });
}
