// Runs the tests of this folder. They store their state between runs in the folder RUN_FOLDER.
import { fileURLToPath } from 'node:url';
import { runTests } from '../../scripts/run-tests.mjs';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const { RUN_FOLDER } = process.env;
const passed = await runTests({
  args: ['--config=testing/runner/vitest.config.ts', ...process.argv.slice(2)],
  results: `${RUN_FOLDER}/results.json`,
  environment: {},
  mark: `RUN_FOLDER=${RUN_FOLDER}`,
  graceMs: 100,
  runInParallel: async () => 0,
});
process.exitCode = passed ? 0 : 1;
