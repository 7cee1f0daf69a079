import type { AdapterProblem } from '@ledger-ops/adapter';
import type { Problem } from '@ledger-ops/base';
import { isTemporary, toProblem } from '../../adapter-problem.ts';
import { type PendingReason, pendingCodeOf } from '../../pending-codes.ts';

/** Why an action is not signed: it waits and is tried again, or it has failed. */
export type NotSigned = ({ status: 'wait' } & PendingReason) | { status: 'failed'; problem: Problem };

/** Why an action is not signed, with a problem that can be returned to its caller. */
export type Refused = NotSigned & { problem: Problem };

export function refusedBy(reported: AdapterProblem): Refused {
  const problem = toProblem(reported);
  return isTemporary(reported)
    ? { status: 'wait', code: pendingCodeOf(reported), reason: reported.detail, problem }
    : { status: 'failed', problem };
}

/** Returns a problem that says that the adapter's response violates the adapter interface. */
export function brokenContract(expected: string): AdapterProblem {
  return {
    code: 'adapter-fault',
    phase: 'prepare',
    detail: `The ledger plugin violated the adapter interface: ${expected} was expected.`,
  };
}
