import type { AdapterErrorCode, Estimated, EstimateRequest } from '@ledger-ops/adapter';
import { adapterProblemFrom, isTemporary } from '../../adapter-problem.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { pendingCodeOf } from '../../pending-codes.ts';
import type { Timing } from '../../timing.ts';
import { brokenContract, type NotSigned, refusedBy } from './not-signed.ts';
import { withTimeout } from './with-timeout.ts';

/** Codes of estimation problems that may disappear when earlier actions of the wallet complete. */
const resolvable: ReadonlySet<AdapterErrorCode> = new Set(['reverted', 'out-of-gas', 'unknown-contract']);

/**
 * Returns an estimate for each request. If the batch fails, each request is estimated separately, so that one bad
 * request does not make the others fail.
 */
export async function estimateEach(
  timing: Timing,
  open: OpenLedger,
  requests: readonly EstimateRequest[],
): Promise<Estimated[]> {
  if (requests.length === 0) return [];
  try {
    const answers = await withTimeout(timing, 'estimate', open, open.session.estimate([...requests]));
    const missing = { status: 'wait', problem: brokenContract('one estimate for each request') } as const;
    return requests.map((_, index) => answers[index] ?? missing);
  } catch (error) {
    const problem = adapterProblemFrom(error);
    if (isTemporary(problem)) return requests.map(() => ({ status: 'wait', problem }));
    if (requests.length === 1) return [{ status: 'failed', problem }];
    const each = await Promise.all(requests.map((one) => estimateEach(timing, open, [one])));
    return each.flat();
  }
}

/**
 * Decides whether an action that could not be estimated waits or fails.
 * @param isBehind whether earlier actions of its wallet are still in flight; called only if that matters
 */
export async function withoutEstimate(
  { status, problem }: Exclude<Estimated, { status: 'ready' }>,
  isBehind: () => Promise<boolean>,
): Promise<NotSigned> {
  // If the adapter returns `wait`, the action may succeed later, whatever the problem's code is.
  if (status === 'wait') return { status: 'wait', code: pendingCodeOf(problem), reason: problem.detail };
  if (!isTemporary(problem) && resolvable.has(problem.code) && (await isBehind())) {
    const reason = `${problem.detail} This may change when an earlier action of the wallet completes.`;
    return { status: 'wait', code: 'earlier-actions', reason };
  }
  return refusedBy(problem);
}
