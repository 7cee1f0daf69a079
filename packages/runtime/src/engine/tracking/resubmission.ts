import type { LiveAction } from '../../rows/model.ts';
import type { EngineContext } from '../context.ts';
import type { Tracker } from './types.ts';

/** A tracker's transactions that are not mined yet. */
export interface Resubmission {
  /** Unmined transactions go out again in the order of their sequences. */
  resend(): void;
  /** The first of each account, where it has been that for long; not asked for more often than that. */
  stuck(): LiveAction[];
}

export function createResubmission(
  { now, timing }: Pick<EngineContext, 'now' | 'timing'>,
  { live, release }: Pick<Tracker, 'live' | 'release'>,
): Resubmission {
  let lookedAt = now();

  /** Times that lie ahead since the clock was set back become now, as far as anybody knows. */
  function takeClock(): void {
    const at = now();
    lookedAt = Math.min(lookedAt, at);
    for (const action of live.values()) {
      action.sentAt = Math.min(action.sentAt, at);
      action.releasedAt = Math.min(action.releasedAt, at);
    }
  }

  /** The action that each account's others wait for. */
  function heads(): LiveAction[] {
    const accounts = Map.groupBy(live.values(), ({ address }) => address).values();
    return [...accounts].map((actions) =>
      actions.reduce((one, two) => ((two.sequence ?? 0) < (one.sequence ?? 0) ? two : one)),
    );
  }

  return {
    resend() {
      takeClock();
      const late = [...live.values()].filter(({ sentAt }) => now() - sentAt >= timing.resend);
      late.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
      for (const action of late.slice(0, 1_000)) release(action);
    },
    stuck() {
      if (live.size === 0 || now() - lookedAt < timing.lookForGaps) return [];
      lookedAt = now();
      return heads().filter(
        ({ sequence, signedAt }) => sequence !== null && Math.abs(now() - signedAt) >= timing.lookForGaps,
      );
    },
  };
}
