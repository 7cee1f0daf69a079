// Runs lint, dead-code check, type check and build, then every test. Ends with the failures, and one line
// with the totals.
// `--docs`: builds the documentation site at the same time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { sourceArguments } from '../testing/children.ts';
import { makeFastFolder } from './fast-folder.mjs';
import { findLeftBehind } from './left-behind.mjs';

const results = 'test-results.json';
rmSync(results, { force: true });
// Compile cache of this run, shared by test workers and the servers that they start.
const cache = mkdtempSync(join(tmpdir(), 'ledger-ops-compiled-'));
const folder = makeFastFolder();
const checks = [
  ['biome', ['check', '--error-on-warnings', '.']],
  ['knip', ['--no-config-hints']],
  // Parallel type checkers repeat work: a single one uses a third less processor time, which the tests need.
  ['tsc', ['--singleThreaded', '-p', 'tsconfig.json']],
  ['tsc', ['-p', 'apps/server/browser']],
  ['tsc', ['-p', 'apps/console']],
  ...(process.argv.includes('--docs') ? [['turbo', ['run', '--output-logs=errors-only', 'site']]] : []),
];
// Plugin processes run five levels below their host, and would get little time beside many test workers. 19 is
// the lowest level, so that here the difference is two.
setPriority(17);
let failedSteps = 0;
await Promise.all([
  run('turbo', ['run', 'build', '--output-logs=errors-only']),
  // With the arguments of test workers: V8 rejects code that was compiled with other flags.
  run('node', [...sourceArguments, 'scripts/compile-ahead.mjs'], { NODE_COMPILE_CACHE: cache }),
]);
// Runs in parallel, because tests often wait and leave processors idle.
await Promise.all([
  run('vitest', ['run'], { NODE_COMPILE_CACHE: cache, TMPDIR: folder }),
  (async () => {
    for (const [command, args] of checks) await run(command, args);
  })(),
]);
// This variable also marks processes that tests start.
for (const { pid, command } of await findLeftBehind(`NODE_COMPILE_CACHE=${cache}`)) {
  console.error(`Killed a process that a test left running: ${command} (${pid})`);
  process.kill(pid, 'SIGKILL');
  failedSteps += 1;
}
for (const one of [cache, folder]) rmSync(one, { recursive: true, force: true });

const count = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
if (existsSync(results)) {
  const told = JSON.parse(readFileSync(results, 'utf8'));
  count.passed = told.numPassedTests;
  count.failed = told.numFailedTests;
  count.skipped = told.numPendingTests + told.numTodoTests;
  for (const { name, message, assertionResults } of told.testResults) {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failed) failures.push([name, fullName, ...failureMessages]);
    if (!message) continue;
    failures.push([name, message]);
    // A failed hook at the end of a file does not change the exit code.
    if (failed.length === 0) count.failed += 1;
  }
}
for (const [file, ...words] of failures)
  console.error(`\nFAILED ${relative('.', file)}\n${words.join('\n')}`);
if (failedSteps > 0 && count.failed === 0) count.failed = failedSteps;
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(count.failed > 0 || count.passed === 0 ? 1 : 0);

async function run(command, args, environment = {}) {
  const started = performance.now();
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  // A missing program does not start.
  const [status] = await once(child, 'close').catch((error) => [error.message]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${command} ${args.at(-1)}: ${seconds} s${status === 0 ? '' : ', failed'}`);
  if (status !== 0) failedSteps += 1;
}
