import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder: pages stand where they are read on their own, too. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Pages that stand outside of docs, by their files; their places on the site. */
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

/** Files of the repository and their places on the site. */
export const pages: ReadonlyMap<string, string> = new Map([
  ...Object.entries(elsewhere).filter(([file]) => existsSync(`${root}${file}`)),
  ...all
    .filter((file) => file.startsWith('docs/') && elsewhere[file] === undefined)
    .map((file) => [file, file.slice('docs/'.length)] as const),
]);

/** Where the pages are put together: what renders them finds its own packages only from below this folder. */
export const folder = `${root}docs/.site/`;

/** Copies all pages, and the pictures in them, to their places. */
export function collectPages(): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [file, place] of pages) {
    mkdirSync(dirname(`${folder}${place}`), { recursive: true });
    copyFileSync(`${root}${file}`, `${folder}${place}`);
  }
  cpSync(`${root}docs/pictures`, `${folder}pictures`, { recursive: true });
}
