// Lint, typecheck, then every package's tests; closes with what failed, and one line that counts them all.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const steps = [
  ['biome', ['check', '--error-on-warnings', '.']],
  ['turbo', ['run', 'typecheck', 'build', '--output-logs=errors-only']],
  ['turbo', ['run', 'test', '--continue', '--concurrency=2', '--output-logs=new-only']],
];
let failedSteps = 0;
for (const [command, args] of steps) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) {
    failedSteps += 1;
    console.error(`${command} ${args[0] === 'run' ? args[1] : args[0]} failed`);
  }
}

const count = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const folders = ['packages', 'apps'].flatMap((top) => readdirSync(top).map((name) => `${top}/${name}`));
for (const folder of folders) {
  const file = `${folder}/test-results.json`;
  if (!existsSync(file)) continue;
  const results = JSON.parse(readFileSync(file, 'utf8'));
  count.passed += results.numPassedTests;
  count.failed += results.numFailedTests;
  count.skipped += results.numPendingTests + results.numTodoTests;
  for (const { name, message, assertionResults } of results.testResults) {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failed) failures.push([name, fullName, ...failureMessages]);
    if (message) failures.push([name, message]);
  }
}
for (const [file, ...words] of failures)
  console.error(`\nFAILED ${relative('.', file)}\n${words.join('\n')}`);
if (failedSteps > 0 && count.failed === 0) count.failed = failedSteps;
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(count.failed > 0 || count.passed === 0 ? 1 : 0);
