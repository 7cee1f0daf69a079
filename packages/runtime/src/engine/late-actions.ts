import type { LiveAction } from './model.ts';

/** Unmined transactions are sent again when this long has passed since the last time, in milliseconds. */
export const resendAfter = 3_000;
/** An action that has been first of its account for so long may wait for a transaction that the chain has lost. */
const stuckAfter = 10_000;

/** What of a line is not mined in its time. */
export interface LateActions {
  /** Unmined transactions go out again in the order of their sequences; late ones are bumped, then cancelled. */
  resend(): void;
  /** The first of each account, where it has been that for long; not asked for more often than that. */
  stuck(): LiveAction[];
}

export interface LateActionsOptions {
  live: ReadonlyMap<string, LiveAction>;
  /** Milliseconds until an attempt is replaced by the next one; null: never. */
  replaceAfter: number | null;
  release(action: LiveAction): void;
  now: () => number;
}

export function createLateActions({ live, replaceAfter, release, now }: LateActionsOptions): LateActions {
  let lookedAt = now();

  /** What was sent or released before the clock was set back: now, as far as anybody knows. */
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

  /**
   * One step further: a bump when the last attempt had its time. The no-op, which gives the action up, only at the
   * head of the line: behind it an action is late through no fault of its own.
   */
  function releaseNext(action: LiveAction, isHead: boolean): boolean {
    const next = action.attempts[action.released + 1];
    if (next === undefined || replaceAfter === null || now() - action.releasedAt < replaceAfter) return false;
    if (next.kind === 'noop' && !isHead) return false;
    action.released += 1;
    action.releasedAt = now();
    return true;
  }

  return {
    resend() {
      takeClock();
      const first = replaceAfter === null ? null : heads();
      const late = [...live.values()].filter((action) => {
        const replaced = first !== null && releaseNext(action, first.get(action.address) === action);
        return replaced || now() - action.sentAt >= resendAfter;
      });
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
