import { existsSync, readFileSync } from 'node:fs';

/** Test files that take seconds, as `npm run test:slowest -- --keep` wrote them: path from the root, seconds. */
export const slowFiles: ReadonlyMap<string, number> = new Map(
  Object.entries(JSON.parse(readFileSync(new URL('./slow-files.json', import.meta.url), 'utf8'))),
);

/** Files that cannot share a process with others, each with the reason. */
const unshared: Readonly<Record<string, string>> = {
  'packages/plugin-host/src/connections/host.test.ts': 'It mocks modules.',
  'packages/plugin-host/test/namespaces.test.ts': 'It signals its own process.',
};

for (const file of Object.keys(unshared)) {
  if (!existsSync(new URL(`../${file}`, import.meta.url)))
    throw new Error(`testing/slow-files.ts names ${file}, which is not there: write where it went.`);
}

/** Files that get a process of their own. */
export const alone: readonly string[] = Object.keys(unshared);
