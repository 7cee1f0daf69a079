import { defineConfig } from 'vitest/config';
import { createDurations } from './testing/durations.ts';
import { createResults } from './testing/results.ts';
import { SlowestFirst } from './testing/slowest-first.ts';
import { allTests, faultTests, projects, root } from './vitest.shared.ts';

/** Tests wait more than they compute. With eight workers, processes on two cores miss their timeouts. */
const maxWorkers = 6;

/** Seed of a random order of the test files. If undefined, the slowest files start first. */
const seed = process.env.TEST_ORDER_SEED;

/** All packages in one run, with one pool of workers. */
export default defineConfig({
  test: {
    // A project does not inherit `maxWorkers` from the run, and would have a single worker on two cores.
    projects: projects({
      include: allTests,
      exclude: [faultTests],
      test: { maxWorkers },
    }),
    maxWorkers,
    globalSetup: ['testing/postgres.ts', 'testing/run-folder.ts'],
    sequence:
      seed === undefined ? { sequencer: SlowestFirst } : { shuffle: { files: true }, seed: Number(seed) },
    reporters: [
      'default',
      createResults(`${root}test-results.json`),
      createDurations(`${root}test-durations.json`, root),
    ],
  },
});
