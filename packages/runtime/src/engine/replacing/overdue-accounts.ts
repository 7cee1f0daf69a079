import type { LiveAction } from '../../rows/model.ts';
import { type Head, releaseOf, type Watch } from './next-replacement.ts';
import type { Moment, Patience } from './patience.ts';

/**
 * Whether an account is to be looked at: something of it had its time.
 * @param watch what the last look found; undefined: there was none
 */
export function isDue(
  queue: readonly LiveAction[],
  watch: Watch | undefined,
  patience: Patience,
  now: Moment,
): boolean {
  if (watch !== undefined && !patience.again(watch.looked, now)) return false;
  // A mined action that waits for its depth is asked after less often.
  const isSoon = watch !== undefined && patience.times(watch.looked, now) < 1;
  return queue.some(
    (action) =>
      hasMore(action) &&
      patience.times(releaseOf(action), now) >= 1 &&
      !(isSoon && (action.sequence ?? 0) < watch.next),
  );
}

/** Another transaction can take its place, signed beforehand or when it is needed. */
function hasMore({ kept, released, attempts }: LiveAction): boolean {
  return kept === true || released < attempts.length - 1;
}

/**
 * The transaction that an account waits for, by what the ledger counts of it.
 * @param queue in the order of their sequences
 * @returns the watch to keep, and the head where it had its time; null: all is mined, or it had not
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
  // One read from the rows may have been the first for long: counted from now, a server that ends again and again would
  // never come to an end with it.
  const since = known === undefined && action.readBack === true ? releaseOf(action) : now;
  const watch = known?.head === action ? known : { head: action, since, looked: now, next, found: null };
  watch.looked = now;
  watch.next = next;
  const isOverdue = patience.times(releaseOf(action), now) >= 1;
  return { watch, head: isOverdue ? { action, watch, queue: open, isNext: action.sequence === next } : null };
}

/** Of attempts that were signed beforehand the last that is due: bumps each at its time, the no-op for the head alone. */
export function lastDue(
  action: LiveAction,
  { action: head, watch, isNext }: Head,
  patience: Patience,
  now: Moment,
): number {
  const { attempts } = action;
  const due = Math.min(patience.times(releaseOf(action), now), attempts.length - 1);
  const mayClose = action === head && isNext && now.at - watch.since.at >= patience.settling;
  return attempts[due]?.kind === 'noop' && !mayClose ? due - 1 : due;
}
