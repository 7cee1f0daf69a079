// Builds, then runs every test (see `runTests`). Lint, dead-code check and type checks run at the same time as the tests.
// `--docs` also builds the documentation site. Other arguments are passed to vitest.
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgresObstacle } from '../packages/store/src/testing/postgres-user.ts';
import { sourceArguments } from '../testing/children.ts';
import { makeFastFolder } from './fast-folder.mjs';
import { runProgram, runTests, testPriority } from './run-tests.mjs';

const given = process.argv.slice(2);
const obstacle = findPostgresObstacle();
if (obstacle !== undefined) {
  console.error(obstacle);
  console.log('0 passed, 1 failed, 0 skipped');
  process.exit(1);
}
// Compile cache of this run, shared by test workers and the servers that they start.
const cache = mkdtempSync(join(tmpdir(), 'ledger-ops-compiled-'));
const folder = makeFastFolder();
const checks = [
  ['biome', ['check', '--error-on-warnings', '.']],
  ['knip', ['--no-config-hints']],
  // Parallel type checkers repeat work. A single one leaves more processor time to the tests: it uses a third less.
  ['tsc', ['--singleThreaded', '-p', 'tsconfig.json']],
  ['tsc', ['-p', 'apps/server/browser']],
  ['tsc', ['-p', 'apps/console']],
  ...(given.includes('--docs') ? [['turbo', ['run', '--output-logs=errors-only', 'site']]] : []),
];
setPriority(testPriority);
let failedSteps = 0;
const runStep = async (...step) => {
  if ((await runProgram(...step)) !== 0) failedSteps += 1;
};
await Promise.all([
  runStep('turbo', ['run', 'build', '--output-logs=errors-only']),
  // Uses the arguments of test workers, because V8 rejects cached code that was compiled with other flags.
  runStep('node', [...sourceArguments, 'scripts/compile-ahead.mjs'], { NODE_COMPILE_CACHE: cache }),
]);
const passed = await runTests({
  args: given.filter((argument) => argument !== '--docs'),
  results: 'test-results.json',
  environment: { NODE_COMPILE_CACHE: cache, TMPDIR: folder },
  mark: `NODE_COMPILE_CACHE=${cache}`,
  // Runs in parallel, because tests often wait and leave processors idle.
  async runInParallel() {
    for (const check of checks) await runStep(...check);
    return failedSteps;
  },
});
for (const one of [cache, folder]) rmSync(one, { recursive: true, force: true });
process.exit(passed ? 0 : 1);
