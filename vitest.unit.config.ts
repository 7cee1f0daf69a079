import { defineConfig } from 'vitest/config';
import { findUnitTests } from './testing/find-tests.ts';
import { allTests, projects, root } from './vitest.shared.ts';

const maxWorkers = 4;
// Unchanged modules are compiled once instead of in each run.
process.env.NODE_COMPILE_CACHE ??= `${root}node_modules/.cache/compiled`;

/** Tests that need no process, browser, database server or network. They take less than a minute. */
export default defineConfig({
  test: {
    projects: projects({
      include: findUnitTests(allTests, root),
      setup: ['no-outside'],
      test: { maxWorkers, provide: { onlySqlite: true } },
    }),
    maxWorkers,
    globalSetup: ['testing/run-folder.ts'],
    reporters: ['default'],
  },
});
