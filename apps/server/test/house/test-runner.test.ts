import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { endAll, run } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';

const root = new URL('../../../..', import.meta.url);
afterEach(endAll);

/** Runs files of `testing/runner` as `npm test` runs all files. */
async function runFiles(...names: string[]) {
  const { path, remove } = await openFolder();
  const started = run(
    new URL('testing/runner/main.mjs', root),
    {
      PATH: `${new URL('node_modules/.bin', root).pathname}:${process.env.PATH}`,
      RUN_FOLDER: path,
    },
    names.map((name) => `${name}.case.ts`),
    [],
  );
  const code = await started.code;
  await remove();
  const lines = started.out().trimEnd().split('\n');
  return { code, totals: lines.slice(-2), out: started.out(), err: started.err() };
}

/** Empty if the process has ended, also before its parent read its exit code. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('the test runner', () => {
  test('reports a test that also fails alone as failed', async () => {
    const { code, totals, err } = await runFiles('broken', 'passes');
    expect({ code, totals }).toEqual({ code: 1, totals: ['0 unstable', '1 passed, 1 failed, 1 skipped'] });
    expect(err).toContain('\nFAILED testing/runner/broken.case.ts\nadds two numbers\nAssertionError: ');
  });

  test('reports a test that passes alone as unstable, with its first failure, and counts it as passed', async () => {
    const { code, totals, err } = await runFiles('unstable', 'passes');
    expect({ code, totals }).toEqual({ code: 0, totals: ['1 unstable', '2 passed, 0 failed, 1 skipped'] });
    expect(err).toContain(
      '\nUNSTABLE testing/runner/unstable.case.ts\npasses only in a later run\nAssertionError: ',
    );
  });

  test('reports an unhandled rejection as a failure of its file', async () => {
    const { code, totals, err } = await runFiles('unhandled');
    expect({ code, totals }).toEqual({ code: 1, totals: ['0 unstable', '1 passed, 1 failed, 0 skipped'] });
    expect(err).toContain('\nFAILED testing/runner/unhandled.case.ts\nRangeError: nobody waits for this');
  });

  test('kills a process that a test left running, and counts it as failed', async () => {
    const { code, totals, err } = await runFiles('left-behind');
    expect({ code, totals }).toEqual({ code: 1, totals: ['0 unstable', '1 passed, 1 failed, 0 skipped'] });
    const left = /^Left running by a test, now killed: .*left behind on purpose \((\d+)\)$/m.exec(err);
    expect(left).not.toBeNull();
    await expect.poll(() => commandOf(Number(left?.[1]))).toBe('');
  });

  test('fails a run without tests', async () => {
    const { code, totals } = await runFiles('absent');
    expect({ code, totals }).toEqual({ code: 1, totals: ['0 unstable', '0 passed, 1 failed, 0 skipped'] });
  });
});
