import { isBelowMinimum, type LiveAction } from '../../rows/model.ts';
import { type Head, releaseOf, type Watch } from './next-replacement.ts';
import type { Moment, Patience } from './patience.ts';

/**
 * Whether an account needs a check: one of its transactions was not mined in time, or its fee is below the minimum of
 * every mempool.
 * @param watch result of the last check; undefined if there was none
 */
export function isDue(
  queue: readonly LiveAction[],
  watch: Watch | undefined,
  patience: Patience,
  now: Moment,
): boolean {
  if (watch !== undefined && !patience.again(watch.looked, now)) return false;
  // A mined action, which only waits for confirmations, is not checked again before a replacement interval has passed.
  const isSoon = watch !== undefined && patience.times(watch.looked, now) < 1;
  return queue.some(
    (action) =>
      hasMore(action) &&
      (isBelowMinimum(action) || patience.times(releaseOf(action), now) >= 1) &&
      !(isSoon && (action.sequence ?? 0) < watch.next),
  );
}

/** Whether a replacement for the newest transaction was signed in advance or can be signed on demand. */
function hasMore({ kept, released, attempts }: LiveAction): boolean {
  return kept === true || released < attempts.length - 1;
}

/**
 * Finds the account's first unmined action, using the account's transaction count on the ledger.
 * @param queue in the order of their sequences
 * @returns the observations to keep, and the first unmined action; null if it is not overdue or all actions are mined
 */
export function watchHead(
  queue: readonly LiveAction[],
  known: Watch | undefined,
  next: number,
  patience: Patience,
  now: Moment,
): { watch: Watch; head: Head | null } {
  const open = queue.filter(({ sequence }) => (sequence ?? 0) >= next);
  const [action] = open;
  if (action === undefined) {
    return { watch: { head: null, since: now, looked: now, next, found: null }, head: null };
  }
  // An action that was loaded from the database may have been the account's first one for a long time. If its
  // replacement interval started now, a server that restarts often would never replace it.
  const since = known === undefined && action.readBack === true ? releaseOf(action) : now;
  const watch = known?.head === action ? known : { head: action, since, looked: now, next, found: null };
  watch.looked = now;
  watch.next = next;
  const isOverdue = isBelowMinimum(action) || patience.times(releaseOf(action), now) >= 1;
  return { watch, head: isOverdue ? { action, watch, queue: open, isNext: action.sequence === next } : null };
}

/**
 * Returns the index of the last due attempt among those signed in advance. A bump is due when the replacement interval
 * of the attempt before it is over, or immediately if the fee of that attempt is below the minimum of every mempool.
 * The no-op is due only for the account's first unmined action, and not because of a low fee.
 */
export function lastDue(
  action: LiveAction,
  { action: head, watch, isNext }: Head,
  patience: Patience,
  now: Moment,
): number {
  const { attempts, released } = action;
  const isBelow = isBelowMinimum(action);
  const inTime = Math.max(patience.times(releaseOf(action), now), isBelow ? released + 1 : 0);
  const due = Math.min(inTime, attempts.length - 1);
  const isSettled = now.at - watch.since.at >= patience.settling;
  const mayClose = action === head && isNext && isSettled && !isBelow;
  return attempts[due]?.kind === 'noop' && !mayClose ? due - 1 : due;
}
