import type { ActionDetails } from '../api/types.ts';

/** A step of an action, as its page shows it. */
export interface Step {
  readonly name: 'Accepted' | 'Signed' | 'Sent' | 'Confirmed' | 'Failed' | 'Canceled' | 'Retracted';
  /** When the step was reached; null if it was not reached, or if its time is unknown. */
  readonly at: string | null;
  /** When the previous step with a known time was reached. */
  readonly since: string | null;
  /** `next`: in progress. `later`: not reached yet. */
  readonly state: 'done' | 'next' | 'later';
}

interface Failure {
  readonly problem?: { readonly type: string } | undefined;
}

function isCanceled({ problem }: Failure): boolean {
  return problem?.type.endsWith(':cancelled') === true;
}

/** Steps from acceptance to completion. A final action has only the steps that it reached. */
export function stepsOf(
  action: Pick<ActionDetails, 'steps' | 'status' | 'locator' | 'retracted'> & Failure,
): Step[] {
  const { steps, status, retracted } = action;
  const isPending = status === 'PENDING';
  const last = isCanceled(action) ? 'Canceled' : status === 'FAILED' ? 'Failed' : 'Confirmed';
  // If the ledger executed a transaction, it was sent, even if the time is unknown.
  const wasSent = steps.sent !== null || action.locator !== null;
  const all = [
    { name: 'Accepted', at: steps.accepted, isReached: true },
    { name: 'Signed', at: steps.signed, isReached: steps.signed !== null },
    { name: 'Sent', at: steps.sent, isReached: wasSent },
    { name: last, at: steps.ended, isReached: steps.ended !== null },
    ...(retracted === undefined ? [] : [{ name: 'Retracted', at: retracted.at, isReached: true } as const]),
  ] as const;
  const shown = isPending ? all : all.filter(({ isReached }) => isReached);
  const reached = shown.findLastIndex(({ isReached }) => isReached);
  return shown.map(({ name, at, isReached }, index) => ({
    name,
    at,
    since: shown.slice(0, index).findLast((one) => one.at !== null)?.at ?? null,
    state: isReached ? 'done' : isPending && index === reached + 1 ? 'next' : 'later',
  }));
}
