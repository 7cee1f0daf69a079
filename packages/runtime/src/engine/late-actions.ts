import type { LiveAction } from './model.ts';

/** Unmined transactions are sent again when this long has passed since the last time, in milliseconds. */
export const resendAfter = 3_000;
/** An action that has been first of its account for so long may wait for a transaction that the chain has lost. */
const stuckAfter = 10_000;

/** What of a line is not mined yet. */
export interface LateActions {
  /** Unmined transactions go out again in the order of their sequences. */
  resend(): void;
  /** The first of each account, where it has been that for long; not asked for more often than that. */
  stuck(): LiveAction[];
}

export interface LateActionsOptions {
  live: ReadonlyMap<string, LiveAction>;
  release(action: LiveAction): void;
  now: () => number;
}

export function createLateActions({ live, release, now }: LateActionsOptions): LateActions {
  let lookedAt = now();

  /** What was sent or signed before the clock was set back: now, as far as anybody knows. */
  function takeClock(): void {
    const at = now();
    lookedAt = Math.min(lookedAt, at);
    for (const action of live.values()) {
      action.sentAt = Math.min(action.sentAt, at);
      action.releasedAt = Math.min(action.releasedAt, at);
    }
  }

  /** The action that each account's others wait for. */
  function heads(): Map<string, LiveAction> {
    const heads = new Map<string, LiveAction>();
    for (const action of live.values()) {
      const head = heads.get(action.address);
      if (head === undefined || (action.sequence ?? 0) < (head.sequence ?? 0))
        heads.set(action.address, action);
    }
    return heads;
  }

  return {
    resend() {
      takeClock();
      const late = [...live.values()].filter(({ sentAt }) => now() - sentAt >= resendAfter);
      late.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
      for (const action of late.slice(0, 1_000)) release(action);
    },
    stuck() {
      if (live.size === 0 || now() - lookedAt < stuckAfter) return [];
      lookedAt = now();
      return [...heads().values()].filter(
        ({ sequence, signedAt }) => sequence !== null && Math.abs(now() - signedAt) >= stuckAfter,
      );
    },
  };
}
