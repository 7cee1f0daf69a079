import type { AdapterDefinition } from '@ledger-ops/adapter';
import { describe, test } from 'vitest';
import { adapterChecks } from './checks/index.ts';
import type { ConformanceHarness } from './harness.ts';
import { runCheck } from './run-check.ts';

/** The adapter that `describeAdapter` tests, and how to open a harness for it. */
export interface DescribedAdapter {
  /** Title of the test group. */
  name: string;
  definition: AdapterDefinition;
  /** Called before each check. All harnesses may use the same ledger. */
  open(): Promise<ConformanceHarness>;
  /** Timeout of one check in milliseconds. Default: vitest's. */
  timeout?: number;
}

/** Runs every check as a vitest test. Skips checks that cannot run and gives the reason. */
export function describeAdapter({ name, definition, open, timeout }: DescribedAdapter): void {
  describe(name, () => {
    for (const check of adapterChecks) {
      test(check.name, timeout === undefined ? {} : { timeout }, async (context) => {
        const result = await runCheck(check, definition, open);
        if (result.status === 'skipped') context.skip(result.reasons.join('; '));
      });
    }
  });
}
