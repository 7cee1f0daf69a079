import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { findLeftBehind } from './left-behind.mjs';

/**
 * Nice value of test runs. Plugin processes have a nice value five above their host's, so they would get little processor
 * time next to many test workers. With 17 they are only two above it, because 19 is the maximum.
 */
export const testPriority = 17;

/** Maximum number of failed files that run again. With more, the change is considered broken, and no file runs again. */
const mostAgain = 10;

/**
 * Runs tests with vitest. Failed files then run again, one by one. A file that passes this time is unstable. Prints each
 * failure, then the totals: `N unstable` on one line, `N passed, N failed, N skipped` on the last.
 *
 * @param args arguments for vitest
 * @param results path where the reporter of `testing/results.ts` writes its results
 * @param environment additional environment variables
 * @param mark an entry of `environment` as `NAME=value`. A process with this entry after the run was left running by a test.
 * @param graceMs time for processes of tests to exit after a run
 * @param runInParallel runs other work at the same time, for example lint. Resolves to the number of failed steps.
 * @returns whether everything passed
 */
export async function runTests({ args, results, environment, mark, graceMs = 10_000, runInParallel }) {
  const again = (file) => runVitest({ args: [...withoutFilters(args), resolve(file)], results, environment });
  const [first, failedSteps] = await Promise.all([
    runVitest({ args, results, environment }),
    runInParallel(),
  ]);
  let broken = failedSteps + (await endLeftBehind(mark, graceMs));
  const files = new Map(first.files.map((result) => [result.file, result]));
  const failed = first.files.filter(({ failures }) => failures.length > 0);
  const unstable = [];
  if (failed.length <= mostAgain) {
    for (const { file, failures } of failed) {
      console.log(`\nRunning again on its own: ${file}`);
      const second = await again(file);
      const result = second.files.find((one) => one.file === file);
      broken += await endLeftBehind(mark, graceMs);
      if (second.status !== 0 || result === undefined || result.failures.length > 0) continue;
      unstable.push({ file, failures });
      files.set(file, result);
    }
  }
  for (const message of first.errors) console.error(`\nFAILED outside of a test file\n${message}`);
  for (const one of failed) {
    const isUnstable = unstable.some(({ file }) => file === one.file);
    print(isUnstable ? 'UNSTABLE' : 'FAILED', one);
  }
  const sum = (read) => [...files.values()].reduce((total, file) => total + read(file), 0);
  const passed = sum((file) => file.passed);
  broken += first.errors.length + sum(({ failures }) => failures.length);
  // Vitest failed, but its results contain no failure: it was killed, or could not start.
  if (first.status !== 0 && failed.length === 0 && first.errors.length === 0) broken += 1;
  console.log(`${unstable.length} unstable`);
  console.log(`${passed} passed, ${broken} failed, ${sum((file) => file.skipped)} skipped`);
  return broken === 0 && passed > 0;
}

/** Runs a program and prints its duration. Returns its exit code, or the reason why it did not start. */
export async function runProgram(program, args, environment = {}) {
  const started = performance.now();
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  const [status] = await once(child, 'close').catch((error) => [error.message]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${program} ${args.at(-1)}: ${seconds} s${status === 0 ? '' : ', failed'}`);
  return status;
}

/** Arguments for vitest without those that select files. Options keep their values, as in `-t title`. */
function withoutFilters(args) {
  const isOption = (arg = '') => arg.startsWith('-');
  return args.filter((arg, at) => isOption(arg) || (isOption(args[at - 1]) && !args[at - 1].includes('=')));
}

async function runVitest({ args, results, environment }) {
  rmSync(results, { force: true });
  const status = await runProgram('vitest', ['run', ...args], environment);
  const read = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : { files: [], errors: [] };
  return { status, ...read };
}

/** Kills the processes that tests left running. Returns their number. */
async function endLeftBehind(mark, graceMs) {
  const left = await findLeftBehind(mark, graceMs);
  for (const { pid, command } of left) {
    console.error(`Left running by a test, now killed: ${command} (${pid})`);
    process.kill(pid, 'SIGKILL');
  }
  return left.length;
}

function print(kind, { file, failures }) {
  for (const { test, messages } of failures)
    console.error(['', `${kind} ${file}`, ...(test === null ? [] : [test]), ...messages].join('\n'));
}
