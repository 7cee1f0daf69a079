import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { createDurations } from './testing/durations.ts';
import { alone } from './testing/slow-files.ts';
import { SlowestFirst } from './testing/slowest-first.ts';
import { shared } from './vitest.shared.ts';

/** Tests wait more than they compute: five workers leave a sixth of two processors unused. */
const maxWorkers = 5;
const root = fileURLToPath(new URL('.', import.meta.url));
const folders = '{packages,apps}/*/';
const include = [
  `${folders}src/**/*.test.ts`,
  `${folders}test/**/*.test.ts`,
  'packages/create-plugin/templates/*/test/*.test.{js,ts}',
];

/** Files of all packages share the processes, and with them what is imported: to import it takes longer than most files do. */
function project(test: object): TestProjectInlineConfiguration {
  const setupFiles = [
    'in-package',
    'processor-time',
    'ends-what-it-started',
    'puts-back-what-it-changed',
    'witness',
  ].map((name) => `${root}testing/${name}.ts`);
  return {
    ...shared,
    extends: false,
    root,
    test: {
      ...shared.test,
      // A project does not take it from the run, and would have one worker on two cores.
      maxWorkers,
      setupFiles,
      // One after the other: the witness goes by the folder that was entered before.
      sequence: { setupFiles: 'list' },
      ...test,
    },
  };
}

/** All packages in one run, with one pool of workers. */
export default defineConfig({
  test: {
    projects: [
      project({ name: 'shared', isolate: false, include, exclude: [...configDefaults.exclude, ...alone] }),
      project({ name: 'alone', isolate: true, include: alone }),
    ],
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
