// Lint, dead code, type check and build, then every test; closes with what failed, and one line that counts them all.
// `--docs`: makes the site of the documentation meanwhile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { makeFastFolder } from './fast-folder.mjs';
import { findLeftBehind } from './left-behind.mjs';

const results = 'test-results.json';
rmSync(results, { force: true });
// Modules that one process compiled no other of this run compiles again: test workers, and the servers that they start.
const cache = mkdtempSync(join(tmpdir(), 'ledger-ops-compiled-'));
const folder = makeFastFolder();
const checks = [
  ['biome', ['check', '--error-on-warnings', '.']],
  ['knip', ['--no-config-hints']],
  // Its checkers each work out many of the same types: one takes a third less of the processors that tests want.
  ['tsc', ['--singleThreaded', '-p', 'tsconfig.json']],
  ['tsc', ['-p', 'apps/server/browser']],
  ['tsc', ['-p', 'apps/console']],
  ...(process.argv.includes('--docs') ? [['turbo', ['run', '--output-logs=errors-only', 'site']]] : []),
];
let failedSteps = 0;
await run('turbo', ['run', 'build', '--output-logs=errors-only']);
// Tests wait often, and leave the processors to the checks meanwhile.
await Promise.all([
  run('vitest', ['run'], { NODE_COMPILE_CACHE: cache, TMPDIR: folder }),
  (async () => {
    for (const [command, args] of checks) await run(command, args);
  })(),
]);
// It marks, too, what the tests started.
for (const { pid, command } of await findLeftBehind(`NODE_COMPILE_CACHE=${cache}`)) {
  console.error(`Left running by a test, and ended now: ${command} (${pid})`);
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
    // A hook at the end of a file: the program ends with 0 all the same.
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
  // A program that is absent does not start.
  const [status] = await once(child, 'close').catch((error) => [error.message]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${command} ${args.at(-1)}: ${seconds} s${status === 0 ? '' : ', failed'}`);
  if (status !== 0) failedSteps += 1;
}
