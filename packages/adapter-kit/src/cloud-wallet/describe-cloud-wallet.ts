import { describe, test } from 'vitest';
import { cloudWalletChecks } from './checks.ts';
import type { CloudWalletHarness } from './harness.ts';
import { runCloudWalletCheck } from './run-check.ts';

/** The plugin that `describeCloudWallet` tests. */
export interface DescribedCloudWallet {
  /** Heading of the tests. */
  name: string;
  /** Called before each check; the plugin behind the harnesses may be the same. */
  open(): Promise<CloudWalletHarness>;
  /** Milliseconds that one check may take. Default: vitest's. */
  timeout?: number;
}

/** Runs every check of the cloud wallet protocol as a vitest test; what cannot run is skipped and says why. */
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
