import { describe, test } from 'vitest';
import { cloudWalletChecks } from './checks.ts';
import type { CloudWalletHarness } from './harness.ts';
import { runCloudWalletCheck } from './run-check.ts';

/** The plugin that `describeCloudWallet` tests. */
export interface DescribedCloudWallet {
  /** Title of the test group. */
  name: string;
  /** Called before each check. All harnesses may use the same plugin. */
  open(): Promise<CloudWalletHarness>;
  /** Timeout of one check in milliseconds. Default: vitest's. */
  timeout?: number;
}

/**
 * Runs every check of the cloud wallet protocol as a vitest test. Skips checks that cannot run and gives the reason.
 */
export function describeCloudWallet({ name, open, timeout }: DescribedCloudWallet): void {
  describe(name, () => {
    for (const check of cloudWalletChecks) {
      test(check.name, timeout === undefined ? {} : { timeout }, async (context) => {
        const result = await runCloudWalletCheck(check, open);
        if (result.status === 'skipped') context.skip(result.reasons.join('; '));
      });
    }
  });
}
