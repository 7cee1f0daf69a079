import type { AdapterDefinition } from '@ledger-ops/adapter';
import { type AdapterCheck, missingNeeds, provenBy } from './check.ts';
import type { ConformanceHarness } from './harness.ts';
import { createStage } from './stage.ts';

/** The result of a check. `unproved`: capabilities that are declared, and that it would have proved. */
export type CheckResult = { status: 'passed' } | { status: 'skipped'; reasons: string[]; unproved: string[] };

/**
 * Runs one check against an adapter, without any test framework. Opens a harness and closes it.
 * @throws AssertionError when the adapter does not keep the clause.
 */
export async function runCheck(
  check: AdapterCheck,
  definition: AdapterDefinition,
  open: () => Promise<ConformanceHarness>,
): Promise<CheckResult> {
  const harness = await open();
  const stage = createStage(definition, harness);
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
    // A failure of the check says more than one of clearing up after it.
    await stage.close().catch((error: unknown) => {
      if (failure === undefined) throw error;
    });
  }
}
