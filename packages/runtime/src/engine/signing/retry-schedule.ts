import { plainWords } from '@ledger-ops/adapter/words';
import { backoff } from '@ledger-ops/base/backoff';
import type { PendingReason } from '../../pending-codes.ts';
import { storeUnsignedReason } from '../../rows/actions/store-pending-reasons.ts';
import type { EngineContext } from '../context.ts';

/** Maximum delay of a timer. `setTimeout` fires immediately if its delay exceeds 2³¹ ms. */
const longestTimer = 60_000;

interface Retry {
  /** When the action is due, and the delay from which that time was calculated. */
  until: number;
  delay: number;
  /** Number of times that the action was deferred; 0 after `hold`. */
  times: number;
  address: string;
}

/**
 * Actions to retry later. They are only in memory: after a restart, each is retried immediately. `#retries`
 * contains them by action id. `#scheduled` is when `#timer` fires; infinite if there is no timer.
 */
export class RetrySchedule {
  readonly #context: Pick<EngineContext, 'store' | 'now' | 'log' | 'timing'>;
  readonly #due: () => void;
  readonly #retries = new Map<string, Retry>();
  #timer: NodeJS.Timeout | undefined;
  #scheduled = Number.POSITIVE_INFINITY;
  #isStopped = false;

  /** @param due called when actions become due */
  constructor(context: Pick<EngineContext, 'store' | 'now' | 'log' | 'timing'>, due: () => void) {
    this.#context = context;
    this.#due = due;
  }

  /** Retries the action later, with backoff, and stores the reason why it is pending. */
  defer(
    { id, address, waiting }: { id: string; address: string; waiting: string | null },
    { code, reason: words }: PendingReason,
  ): void {
    const reason = plainWords(words);
    this.backOff(id, address);
    if (waiting === reason || this.#isStopped) return;
    this.#context.store
      .transaction((tx) => storeUnsignedReason(tx, id, { code, reason }, this.#context.now()))
      .catch((error: unknown) => {
        this.#context.log('warn', 'ready.reason', {
          detail: error instanceof Error ? error.message : 'unknown',
        });
      });
  }

  /** Retries the action later, with backoff. Leaves the stored reason unchanged. */
  backOff(id: string, address: string): void {
    const times = (this.#retries.get(id)?.times ?? 0) + 1;
    this.#put(id, address, backoff(times, this.#context.timing.signAgain), times);
  }

  /** Holds the action back: it is not retried before `delay` milliseconds have passed. */
  hold(id: string, address: string, delay: number): void {
    this.#put(id, address, delay, 0);
  }

  get size(): number {
    return this.#retries.size;
  }

  /** Returns the ids of actions that are not due yet. */
  notDue(): string[] {
    return [...this.#retries].filter(([, one]) => this.#isLate(one)).map(([id]) => id);
  }

  forget(id: string): void {
    this.#retries.delete(id);
  }

  /** Makes deferred actions of the account due now. Returns true if there were any. */
  hasten(address: string): boolean {
    let hastened = false;
    for (const one of this.#retries.values()) {
      if (one.address !== address || one.until <= this.#context.now() || one.times === 0) continue;
      one.until = 0;
      hastened = true;
    }
    return hastened;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #put(id: string, address: string, delay: number, times: number): void {
    const until = this.#context.now() + delay;
    this.#retries.set(id, { until, delay, times, address });
    this.#schedule(until);
  }

  /**
   * Whether the action is due. It is also due if more time remains than its whole delay, because the clock was moved
   * back.
   */
  #isLate({ until, delay }: { until: number; delay: number }): boolean {
    const left = until - this.#context.now();
    return left > 0 && left <= delay;
  }

  #schedule(at: number): void {
    if (this.#isStopped || at >= this.#scheduled) return;
    clearTimeout(this.#timer);
    this.#scheduled = at;
    this.#timer = setTimeout(
      () => this.#reportDue(),
      Math.min(longestTimer, Math.max(1, at - this.#context.now())),
    );
    this.#timer.unref();
  }

  #reportDue(): void {
    this.#scheduled = Number.POSITIVE_INFINITY;
    this.#due();
    for (const [id, { until }] of this.#retries) {
      if (until > this.#context.now()) this.#schedule(until);
      else if (until <= this.#context.now() - this.#context.timing.rememberWaiting) this.#retries.delete(id);
    }
  }
}
