import { existsSync, readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { createDurations } from './testing/durations.ts';
import { alone } from './testing/slow-files.ts';
import { SlowestFirst } from './testing/slowest-first.ts';

/** Tests wait more than they compute: five workers leave a quarter of two processors unused. */
const maxWorkers = 5;
const root = fileURLToPath(new URL('.', import.meta.url));
const folders = ['packages', 'apps']
  .flatMap((top) => readdirSync(`${root}${top}`).map((name) => `${top}/${name}`))
  .filter((folder) => existsSync(`${root}${folder}/vitest.config.ts`));

/**
 * Every package twice: files that stand in the table of slow ones have a process of their own, and the others share
 * the processes, and with them what is imported.
 */
async function projectsOf(folder: string): Promise<TestProjectInlineConfiguration[]> {
  const { default: config } = await import(new URL(`${folder}/vitest.config.ts`, import.meta.url).href);
  const own = alone.filter((file) => file.startsWith(`${folder}/`)).map((file) => relative(folder, file));
  const setupFiles = ['in-package', 'processor-time'].map((name) => `${root}testing/${name}.ts`);
  const project = (test: object): TestProjectInlineConfiguration => ({
    ...config,
    extends: false,
    root: `${root}${folder}`,
    test: {
      ...config.test,
      // A project does not take it from the run, and would have one worker on two cores.
      maxWorkers,
      provide: { packageFolder: `${root}${folder}` },
      setupFiles: [...setupFiles, ...(config.test.setupFiles ?? [])],
      ...test,
    },
  });
  const name = folder.split('/').at(-1) ?? folder;
  return [
    project({ name, isolate: false, exclude: [...configDefaults.exclude, ...own] }),
    ...(own.length === 0 ? [] : [project({ name: `${name} alone`, isolate: true, include: own })]),
  ];
}

/** All packages in one run, with one pool of workers. */
export default defineConfig({
  test: {
    projects: (await Promise.all(folders.map(projectsOf))).flat(),
    maxWorkers,
    globalSetup: ['testing/postgres.ts', 'testing/run-folder.ts'],
    sequence: { sequencer: SlowestFirst },
    reporters: [
      'default',
      ['json', { outputFile: 'test-results.json' }],
      createDurations(`${root}test-durations.json`, root),
    ],
  },
});
