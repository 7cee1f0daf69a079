import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
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

/**
 * Returns the command line of a process. Empty if the process has ended, even if its parent has not read the exit code
 * yet.
 */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('the test runner', () => {
  describe('after a run with failures of several kinds', () => {
    let failed: Awaited<ReturnType<typeof runFiles>>;
    beforeAll(async () => {
      failed = await runFiles('broken', 'unhandled', 'left-behind', 'passes');
    });

    test('the test runner runs each failed file a second time on its own, and counts each failure once', () => {
      const again = [...failed.out.matchAll(/^Running again on its own: (.+)$/gm)].map(([, file]) => file);
      expect(again.toSorted()).toEqual(['testing/runner/broken.case.ts', 'testing/runner/unhandled.case.ts']);
      const { code, totals } = failed;
      expect({ code, totals }).toEqual({ code: 1, totals: ['0 unstable', '3 passed, 3 failed, 1 skipped'] });
    });

    test('a test is reported as failed if it fails again when its file runs on its own', () => {
      expect(failed.err).toContain(
        '\nFAILED testing/runner/broken.case.ts\nadds two numbers\nAssertionError: ',
      );
    });

    test('an unhandled rejection is reported as a failure of the test file that caused it', () => {
      expect(failed.err).toContain(
        '\nFAILED testing/runner/unhandled.case.ts\nRangeError: background work failed',
      );
    });

    test('a process that a test left running is killed and counted as a failure', async () => {
      const left = /^Left running by a test, now killed: .*left behind on purpose \((\d+)\)$/m.exec(
        failed.err,
      );
      expect(left).not.toBeNull();
      await expect.poll(() => commandOf(Number(left?.[1]))).toBe('');
    });
  });

  test('a failed test that passes when its file runs on its own is reported as passed and unstable, with its first failure', async () => {
    const { code, totals, err } = await runFiles('unstable', 'passes');
    expect({ code, totals }).toEqual({ code: 0, totals: ['1 unstable', '2 passed, 0 failed, 1 skipped'] });
    expect(err).toContain(
      '\nUNSTABLE testing/runner/unstable.case.ts\npasses only in a later run\nAssertionError: ',
    );
  });

  test('a run without tests fails', async () => {
    const { code, totals } = await runFiles('absent');
    expect({ code, totals }).toEqual({ code: 1, totals: ['0 unstable', '0 passed, 1 failed, 0 skipped'] });
  });
});
