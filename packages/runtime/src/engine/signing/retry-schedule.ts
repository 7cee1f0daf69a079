import { plainWords } from '@ledger-ops/adapter/words';
import { backoff } from '@ledger-ops/backoff';
import type { PendingReason } from '../../pending-codes.ts';
import { storeUnsignedReason } from '../../rows/actions/store-pending-reasons.ts';
import type { EngineContext } from '../context.ts';

/** A timer that is told to run longer than 2³¹ ms runs out at once. */
const longestTimer = 60_000;

/** Actions that are to be tried again later. In memory only: after a restart each is tried at once. */
export interface RetrySchedule {
  /** Later, and later each time; the reason is told to whoever asks why the action is pending. */
  defer(row: { id: string; address: string; waiting: string | null }, why: PendingReason): void;
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

/** @param due called when the time of some has come */
export function createRetrySchedule(
  { store, now, log, timing }: Pick<EngineContext, 'store' | 'now' | 'log' | 'timing'>,
  due: () => void,
): RetrySchedule {
  const retries = new Map<string, { until: number; delay: number; times: number; address: string }>();
  let timer: NodeJS.Timeout | undefined;
  let scheduled = Number.POSITIVE_INFINITY;
  let stopped = false;

  function put(id: string, address: string, delay: number, times: number): void {
    const until = now() + delay;
    retries.set(id, { until, delay, times, address });
    schedule(until);
  }

  /** More left than the whole delay: it was put off before the clock was set back, and is not waited for. */
  function isLate({ until, delay }: { until: number; delay: number }): boolean {
    const left = until - now();
    return left > 0 && left <= delay;
  }

  function schedule(at: number): void {
    if (stopped || at >= scheduled) return;
    clearTimeout(timer);
    scheduled = at;
    timer = setTimeout(tellDue, Math.min(longestTimer, Math.max(1, at - now())));
    timer.unref();
  }

  function tellDue(): void {
    scheduled = Number.POSITIVE_INFINITY;
    due();
    for (const [id, { until }] of retries) {
      if (until > now()) schedule(until);
      else if (until <= now() - timing.rememberWaiting) retries.delete(id);
    }
  }

  return {
    defer({ id, address, waiting }, { code, reason: words }) {
      const reason = plainWords(words);
      const times = (retries.get(id)?.times ?? 0) + 1;
      put(id, address, backoff(times, timing.signAgain), times);
      if (waiting === reason || stopped) return;
      store
        .transaction((tx) => storeUnsignedReason(tx, id, { code, reason }, now()))
        .catch((error: unknown) => {
          log('warn', 'ready.reason', { detail: error instanceof Error ? error.message : 'unknown' });
        });
    },
    hold: (id, address, delay) => put(id, address, delay, 0),
    get size() {
      return retries.size;
    },
    late: () => [...retries].filter(([, one]) => isLate(one)).map(([id]) => id),
    forget: (id) => void retries.delete(id),
    hasten(address) {
      let hastened = false;
      for (const one of retries.values()) {
        if (one.address !== address || one.until <= now() || one.times === 0) continue;
        one.until = 0;
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
