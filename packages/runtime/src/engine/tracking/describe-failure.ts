import { AdapterError } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { failureOf, failureWords } from '@ledger-ops/plugin-host';
import { troubleFrom } from '../../adapter-problem.ts';

/** A failure for the log: what is neither an adapter's answer nor the engine's own may say anything. */
export function describeFailure(error: unknown): string {
  const isMeant = error instanceof AdapterError || error instanceof Problem;
  return isMeant ? `${error.name}: ${troubleFrom(error).detail}` : failureWords(failureOf(error));
}
