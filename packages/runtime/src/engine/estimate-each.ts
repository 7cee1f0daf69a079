import type { Estimated, EstimateRequest, LedgerSession } from '@ledger-ops/adapter';
import { adapterProblemFrom, isPassing } from '../adapter-problem.ts';
import { inTime } from './in-time.ts';

/** An estimate for each request. What only one of them breaks by is no other's: then each is asked for by itself. */
export async function estimateEach(
  session: LedgerSession,
  ledgerId: string,
  requests: readonly EstimateRequest[],
): Promise<Estimated[]> {
  try {
    return await inTime('estimate', ledgerId, session.estimate([...requests]));
  } catch (error) {
    const problem = adapterProblemFrom(error);
    if (isPassing(problem)) return requests.map(() => ({ status: 'wait', problem }));
    if (requests.length === 1) return [{ status: 'failed', problem }];
    const each = await Promise.all(requests.map((one) => estimateEach(session, ledgerId, [one])));
    return each.flat();
  }
}
