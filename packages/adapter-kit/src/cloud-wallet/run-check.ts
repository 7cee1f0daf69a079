import type { CloudWalletCheck } from './check.ts';
import type { CloudWalletHarness } from './harness.ts';
import { createRemoteStage } from './stage.ts';

/**
 * Result of a check. `unproved` lists what a skipped check would have proved: declared capabilities, and
 * requirements on every plugin.
 */
export type CheckResult = { status: 'passed' } | { status: 'skipped'; reasons: string[]; unproved: string[] };

/**
 * Runs one check against a plugin at a URL, without a test framework. Opens and closes a harness.
 *
 * @throws AssertionError if the plugin fails the check
 */
export async function runCloudWalletCheck(
  check: CloudWalletCheck,
  open: () => Promise<CloudWalletHarness>,
): Promise<CheckResult> {
  const harness = await open();
  try {
    const stage = await createRemoteStage(harness);
    const missing = check.missing?.(stage);
    if (missing !== undefined) {
      const { power, operation, proves } = check;
      const { capabilities } = stage.plugin;
      const unproved = [
        ...(power !== undefined && capabilities[power] === true ? [power] : []),
        ...(operation !== undefined && capabilities.operations.includes(operation) ? [operation] : []),
        ...(proves === undefined ? [] : [proves]),
      ];
      return { status: 'skipped', reasons: [missing], unproved };
    }
    await check.run(stage);
    return { status: 'passed' };
  } finally {
    await harness.close();
  }
}
