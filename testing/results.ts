import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Results of a test run, as read by `scripts/run-tests.mjs`. */
export interface Results {
  readonly files: readonly FileResult[];
  /** Errors outside of a test file, for example of the run's setup. */
  readonly errors: readonly string[];
}

/** Result of a test file. */
export interface FileResult {
  /** Path from the folder of the run. */
  readonly file: string;
  readonly passed: number;
  readonly skipped: number;
  /** Failed tests, and failures of the file itself: imports, hooks, errors outside of its tests. */
  readonly failures: readonly Failure[];
}

interface Failure {
  /** Full name of the test; null for a failure of the file itself. */
  readonly test: string | null;
  readonly messages: readonly string[];
}

/** Writes the results of a run as JSON to the file `path`. */
export function createResults(path: string): Reporter {
  return {
    onTestRunEnd(modules, unhandled) {
      const known = new Set(modules.map(({ moduleId }) => moduleId));
      const files = modules.map((module) => {
        const own = unhandled.filter((error) => error.VITEST_TEST_PATH === module.moduleId);
        return resultOf(module, own);
      });
      const errors = unhandled.filter(({ VITEST_TEST_PATH: file }) => !known.has(String(file)));
      const results: Results = { files, errors: errors.map(textOf) };
      writeFileSync(path, JSON.stringify(results, null, 1));
    },
  };
}

function resultOf(module: TestModule, unhandled: readonly SerializedError[]): FileResult {
  const failures: Failure[] = [];
  let passed = 0;
  let skipped = 0;
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    if (state === 'passed') passed += 1;
    else if (state === 'skipped') skipped += 1;
    else
      failures.push({
        test: test.fullName,
        messages: errors === undefined ? ['The test did not finish.'] : errors.map(textOf),
      });
  }
  const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors());
  const ofFile = [...module.errors(), ...suites, ...unhandled].map(textOf);
  if (ofFile.length > 0) failures.push({ test: null, messages: ofFile });
  else if (failures.length === 0 && !ended.has(module.state()))
    failures.push({ test: null, messages: [`The file did not finish: its state is ${module.state()}.`] });
  return { file: relative('.', module.moduleId), passed, skipped, failures };
}

const ended: ReadonlySet<string> = new Set(['passed', 'skipped']);

/** Message and stack of an error, without the frames of libraries. */
function textOf({ name, message, stack }: SerializedError): string {
  const text = stack ?? `${name ?? 'Error'}: ${message}`;
  return text
    .split('\n')
    .filter((line) => !/^\s+at .*(?:\/node_modules\/|\(?node:)/.test(line))
    .join('\n');
}
