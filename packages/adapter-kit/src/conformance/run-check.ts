import type { AdapterDefinition } from '@ledger-ops/adapter';
import { type AdapterCheck, missingNeeds, provenBy } from './check.ts';
import type { ConformanceHarness } from './harness.ts';
import { Stage } from './stage.ts';

/**
 * Result of a check. `unproved` lists the capabilities and requirements that a skipped check would have
 * proved.
 */
export type CheckResult = { status: 'passed' } | { status: 'skipped'; reasons: string[]; unproved: string[] };

/**
 * Runs one check against an adapter, without a test framework. Opens and closes a harness.
 *
 * @throws AssertionError if the adapter fails the check
 */
export async function runCheck(
  check: AdapterCheck,
  definition: AdapterDefinition,
  open: () => Promise<ConformanceHarness>,
): Promise<CheckResult> {
  const harness = await open();
  const stage = new Stage(definition, harness);
  let failure: { error: unknown } | undefined;
  try {
    const reasons = missingNeeds(check, definition, harness);
    if (reasons.length > 0) return { status: 'skipped', reasons, unproved: provenBy(check, definition) };
    await check.run(stage);
    return { status: 'passed' };
  } catch (error) {
    failure = { error };
    throw error;
  } finally {
    // If both the check and its cleanup fail, reports the failure of the check.
    await stage.close().catch((error: unknown) => {
      if (failure === undefined) throw error;
    });
  }
}
