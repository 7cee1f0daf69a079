import type { CloudWalletCheck } from './check.ts';
import type { CloudWalletHarness } from './harness.ts';
import { createRemoteStage } from './stage.ts';

/** The result of a check. */
export type CheckResult = { status: 'passed' } | { status: 'skipped'; reasons: string[] };

/**
 * Runs one check against a plugin at a URL, without any test framework. Opens a harness and closes it.
 * @throws AssertionError when the plugin does not keep the clause.
 */
export async function runCloudWalletCheck(
  check: CloudWalletCheck,
  open: () => Promise<CloudWalletHarness>,
): Promise<CheckResult> {
  const harness = await open();
  try {
    const stage = await createRemoteStage(harness);
    const missing = check.missing?.(stage);
    if (missing !== undefined) return { status: 'skipped', reasons: [missing] };
    await check.run(stage);
    return { status: 'passed' };
  } finally {
    await harness.close();
  }
}
