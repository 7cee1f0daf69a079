import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { findFaultTests } from './testing/find-tests.ts';
import { SlowestFirst } from './testing/slowest-first.ts';
import { allTests, projects, root } from './vitest.shared.ts';

const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));
console.log(
  `This takes about half an hour on two cores. To repeat the same random choices, set FAULTS_SEED=${seed}.`,
);
const maxWorkers = 3;

/**
 * Runs large matrices completely, of which `npm test` runs a part; long suites; and on PostgreSQL the suites that
 * `npm test` runs on SQLite.
 */
export default defineConfig({
  test: {
    projects: projects({
      include: findFaultTests(allTests, root),
      test: { maxWorkers, provide: { faults: { seed }, storeDialect: 'postgres' } },
    }),
    maxWorkers,
    globalSetup: ['testing/postgres.ts', 'testing/run-folder.ts'],
    sequence: { sequencer: SlowestFirst },
    reporters: ['default'],
  },
});
