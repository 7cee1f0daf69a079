// A small test run with every kind of result, for the test of `scripts/run-tests.mjs`.
import { defineConfig } from 'vitest/config';
import { createResults } from '../results.ts';

export default defineConfig({
  test: {
    dir: 'testing/runner',
    include: ['*.case.ts'],
    experimental: { viteModuleRunner: false },
    reporters: [createResults(`${process.env.RUN_FOLDER}/results.json`)],
  },
});
