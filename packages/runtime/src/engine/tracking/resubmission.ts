import { isBelowMinimum, type LiveAction } from '../../rows/model.ts';
import type { Timing } from '../../timing.ts';
import type { EngineContext } from '../context.ts';
import type { Tracker } from './tracker.ts';

/**
 * Whether an action is due for a resend. An action whose fee is below the minimum of every mempool is replaced with a
 * higher fee instead, and is resent only after a long time.
 */
export function isDueAgain(
  action: LiveAction,
  now: number,
  { resend, idlePatience }: Pick<Timing, 'resend' | 'idlePatience'>,
): boolean {
  return now - action.sentAt >= (isBelowMinimum(action) ? idlePatience : resend);
}

/** Resends a tracker's unmined transactions. `#checkedAt` is the time at which `stuck` last returned actions. */
export class Resubmission {
  readonly #now: () => number;
  readonly #timing: Timing;
  readonly #tracker: Pick<Tracker, 'live' | 'release'>;
  #checkedAt: number;

  constructor(
    { now, timing }: Pick<EngineContext, 'now' | 'timing'>,
    tracker: Pick<Tracker, 'live' | 'release'>,
  ) {
    this.#now = now;
    this.#timing = timing;
    this.#tracker = tracker;
    this.#checkedAt = now();
  }

  /** Resends the due transactions in the order of their sequences. */
  resend(): void {
    this.#limitTimestamps();
    const late = [...this.#tracker.live.values()].filter((action) =>
      isDueAgain(action, this.#now(), this.#timing),
    );
    late.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
    for (const action of late.slice(0, 1_000)) this.#tracker.release(action);
  }

  /**
   * Returns the first action of each account, if it has been unsettled for at least `lookForGaps` ms. Returns actions
   * at most once per `lookForGaps` ms.
   */
  stuck(): LiveAction[] {
    if (this.#tracker.live.size === 0 || this.#now() - this.#checkedAt < this.#timing.lookForGaps) return [];
    this.#checkedAt = this.#now();
    return this.#heads().filter(
      ({ sequence, signedAt }) =>
        sequence !== null && Math.abs(this.#now() - signedAt) >= this.#timing.lookForGaps,
    );
  }

  /** If the clock was moved back, replaces timestamps in the future with the current time. */
  #limitTimestamps(): void {
    const at = this.#now();
    this.#checkedAt = Math.min(this.#checkedAt, at);
    for (const action of this.#tracker.live.values()) {
      action.sentAt = Math.min(action.sentAt, at);
      action.releasedAt = Math.min(action.releasedAt, at);
    }
  }

  /** Returns the first action of each account, for which the account's other actions wait. */
  #heads(): LiveAction[] {
    const accounts = Map.groupBy(this.#tracker.live.values(), ({ address }) => address).values();
    return [...accounts].map((actions) =>
      actions.reduce((one, two) => ((two.sequence ?? 0) < (one.sequence ?? 0) ? two : one)),
    );
  }
}
