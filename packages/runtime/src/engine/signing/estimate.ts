import type { AdapterErrorCode, Estimated, EstimateRequest } from '@ledger-ops/adapter';
import { adapterProblemFrom, isPassing } from '../../adapter-problem.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { pendingCodeOf } from '../../pending-codes.ts';
import type { Timing } from '../../timing.ts';
import { type NotSigned, refusedBy } from './not-signed.ts';
import { brokenContract } from './sign-rounds.ts';
import { withTimeout } from './with-timeout.ts';

/** Problems of an estimate that earlier actions of the wallet may yet cure. */
const curable: ReadonlySet<AdapterErrorCode> = new Set(['reverted', 'out-of-gas', 'unknown-contract']);

/** An estimate for each request. What only one of them breaks by is no other's: then each is asked for by itself. */
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
    if (isPassing(problem)) return requests.map(() => ({ status: 'wait', problem }));
    if (requests.length === 1) return [{ status: 'failed', problem }];
    const each = await Promise.all(requests.map((one) => estimateEach(timing, open, [one])));
    return each.flat();
  }
}

/** @param isBehind whether earlier actions of its wallet are still under way; asked where that makes a difference */
export async function withoutEstimate(
  { status, problem }: Exclude<Estimated, { status: 'ready' }>,
  isBehind: () => Promise<boolean>,
): Promise<NotSigned> {
  // An action that only waits may go well later, whatever its code.
  if (status === 'wait') return { status: 'wait', code: pendingCodeOf(problem), reason: problem.detail };
  if (!isPassing(problem) && curable.has(problem.code) && (await isBehind())) {
    const reason = `${problem.detail} An earlier action of the wallet, still under way, may change that.`;
    return { status: 'wait', code: 'earlier-actions', reason };
  }
  return refusedBy(problem);
}
