import { defineConfig } from 'vitest/config';
import { createDurations } from './testing/durations.ts';
import { SlowestFirst } from './testing/slowest-first.ts';
import { allTests, faultTests, projects, root } from './vitest.shared.ts';

/** Tests wait more than they compute. With eight workers, processes on two cores miss their timeouts. */
const maxWorkers = 6;

/** All packages in one run, with one pool of workers. */
export default defineConfig({
  test: {
    // A project does not inherit `maxWorkers` from the run, and would have a single worker on two cores.
    projects: projects({ include: allTests, exclude: [faultTests], test: { maxWorkers } }),
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
