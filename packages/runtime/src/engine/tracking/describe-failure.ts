import { AdapterError } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { failureOf, failureWords } from '@ledger-ops/plugin-host';
import { ledgerFailure } from '../../adapter-problem.ts';

/**
 * Describes a failure for the log. Only messages of adapters and of the engine are logged verbatim, because
 * other messages may contain secrets or text from outside.
 */
export function describeFailure(error: unknown): string {
  const isMeant = error instanceof AdapterError || error instanceof Problem;
  return isMeant ? `${error.name}: ${ledgerFailure(error).detail}` : failureWords(failureOf(error));
}
