import type { AdapterProblem } from '@ledger-ops/adapter';
import type { Problem } from '@ledger-ops/base';
import { isPassing, toProblem } from '../../adapter-problem.ts';
import { type PendingReason, pendingCodeOf } from '../../pending-codes.ts';

/** Why an action is not signed now: it is tried again later, or it has failed. */
export type NotSigned = ({ status: 'wait' } & PendingReason) | { status: 'failed'; problem: Problem };

/** The same by a problem that whoever sends it can be told. */
export type Refused = NotSigned & { problem: Problem };

export function refusedBy(reported: AdapterProblem): Refused {
  const problem = toProblem(reported);
  return isPassing(reported)
    ? { status: 'wait', code: pendingCodeOf(reported), reason: reported.detail, problem }
    : { status: 'failed', problem };
}
