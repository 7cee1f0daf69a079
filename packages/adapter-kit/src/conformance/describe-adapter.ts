import type { AdapterDefinition } from '@ledger-ops/adapter';
import { describe, test } from 'vitest';
import { adapterChecks } from './checks/index.ts';
import type { ConformanceHarness } from './harness.ts';
import { runCheck } from './run-check.ts';

/** The adapter that `describeAdapter` tests, and how to open a harness for it. */
export interface DescribedAdapter {
  /** Heading of the tests. */
  name: string;
  definition: AdapterDefinition;
  /** Called before each check; the ledger behind the harnesses may be the same. */
  open(): Promise<ConformanceHarness>;
  /** Milliseconds that one check may take. Default: vitest's. */
  timeout?: number;
}

/** Runs every check as a vitest test; what cannot run is skipped and says why. */
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
