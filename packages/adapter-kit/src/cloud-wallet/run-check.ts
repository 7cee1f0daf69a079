import type { CloudWalletCheck } from './check.ts';
import type { CloudWalletHarness } from './harness.ts';
import { createRemoteStage } from './stage.ts';

/** The result of a check. `unproved`: capabilities that are declared, and that it would have proved. */
export type CheckResult = { status: 'passed' } | { status: 'skipped'; reasons: string[]; unproved: string[] };

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
    if (missing !== undefined) {
      const { power } = check;
      const isDeclared = power !== undefined && stage.plugin.capabilities[power] === true;
      return { status: 'skipped', reasons: [missing], unproved: isDeclared ? [power] : [] };
    }
    await check.run(stage);
    return { status: 'passed' };
  } finally {
    await harness.close();
  }
}
