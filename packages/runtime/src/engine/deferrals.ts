import { plainWords } from '@ledger-ops/adapter/process';
import type { Store } from '@ledger-ops/store';
import type { Log } from '../types.ts';

const firstDelay = 250;
const maxDelay = 10_000;
/** A timer that is told to run longer than 2³¹ ms rings at once. */
const longestTimer = 60_000;
/** Whoever was due this long ago has ended, or is another server's. */
const rememberFor = 120_000;

/** Actions that are to be tried again later. In memory only: after a restart each is tried at once. */
export interface Deferrals {
  /** Later, and later each time; the reason is told to whoever asks why the action is pending. */
  defer(row: { id: string; address: string; waiting: string | null }, reason: string): void;
  /** Not before so many milliseconds have passed. */
  hold(id: string, address: string, delay: number): void;
  /** Actions that are remembered. */
  readonly size: number;
  /** Ids whose time has not come. */
  late(): string[];
  forget(id: string): void;
  /** Everything of the account may be tried now. True when something waited. */
  hasten(address: string): boolean;
  stop(): void;
}

export interface DeferralsOptions {
  store: Store;
  now: () => number;
  log: Log;
  /** The time of some has come. */
  due: () => void;
}

export function createDeferrals({ store, now, log, due }: DeferralsOptions): Deferrals {
  const deferred = new Map<string, { until: number; delay: number; times: number; address: string }>();
  let timer: NodeJS.Timeout | undefined;
  let scheduled = Number.POSITIVE_INFINITY;
  let stopped = false;

  /** What would take longer than it was to take was put off before the clock was set back. */
  function isLate({ until, delay }: { until: number; delay: number }): boolean {
    const left = until - now();
    return left > 0 && left <= delay;
  }

  function schedule(at: number): void {
    if (stopped || at >= scheduled) return;
    clearTimeout(timer);
    scheduled = at;
    timer = setTimeout(
      () => {
        scheduled = Number.POSITIVE_INFINITY;
        due();
        for (const [id, { until }] of deferred) {
          if (until > now()) schedule(until);
          else if (until <= now() - rememberFor) deferred.delete(id);
        }
      },
      Math.min(longestTimer, Math.max(1, at - now())),
    );
    timer.unref();
  }

  return {
    defer({ id, address, waiting }, why) {
      const reason = plainWords(why);
      const times = (deferred.get(id)?.times ?? 0) + 1;
      const delay = Math.min(maxDelay, firstDelay * 2 ** Math.min(times - 1, 10));
      const until = now() + delay;
      deferred.set(id, { until, delay, times, address });
      schedule(until);
      if (waiting === reason || stopped) return;
      store
        .transaction((tx) =>
          tx.run(`UPDATE action SET waiting = $2 WHERE id = $1 AND status = 'PENDING'`, [id, reason]),
        )
        .catch((error: unknown) => {
          log('warn', 'ready.reason', { detail: error instanceof Error ? error.message : 'unknown' });
        });
    },
    hold(id, address, delay) {
      deferred.set(id, { until: now() + delay, delay, times: 0, address });
      schedule(now() + delay);
    },
    get size() {
      return deferred.size;
    },
    late: () => [...deferred].filter(([, one]) => isLate(one)).map(([id]) => id),
    forget: (id) => void deferred.delete(id),
    hasten(address) {
      let hastened = false;
      for (const deferral of deferred.values()) {
        if (deferral.address !== address || deferral.until <= now() || deferral.times === 0) continue;
        deferral.until = 0;
        hastened = true;
      }
      return hastened;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
