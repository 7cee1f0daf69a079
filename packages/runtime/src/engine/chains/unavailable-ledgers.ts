import { type Backoff, backoff } from '@ledger-ops/base/backoff';
import { problemFrom } from '../../adapter-problem.ts';

/** A ledger that could not be opened at the last attempt. */
export interface UnavailableLedger {
  ledgerUid: string;
  ledgerId: string;
  /** Plugin whose actions need the ledger; null for any plugin that serves it. */
  plugin: string | null;
}

/** Problems that may disappear. `address-not-opened` lasts until a restart with another configuration. */
const notReached = new Set(['ledger-unavailable', 'ledger-timeout', 'address-not-opened']);

/**
 * Ledgers that could not be reached.
 *
 * Stores the last failure of each ledger and the time of the next attempt.
 */
export class UnavailableLedgers {
  readonly #now: () => number;
  readonly #pauses: Backoff;
  readonly #failed = new Map<string, UnavailableLedger & { why: string; failures: number; due: number }>();

  constructor(now: () => number, pauses: Backoff) {
    this.#now = now;
    this.#pauses = pauses;
  }

  /** Runs `work`. If it fails, stores the failure until a later run succeeds. @throws what `work` throws */
  async note(key: string, ledger: UnavailableLedger, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failed.delete(key);
    } catch (error) {
      const { problem, message } = problemFrom(error);
      const failures = (this.#failed.get(key)?.failures ?? 0) + 1;
      const due = this.#now() + backoff(failures, this.#pauses);
      if (notReached.has(problem)) this.#failed.set(key, { ...ledger, why: message, failures, due });
      else this.#failed.delete(key);
      throw error;
    }
  }

  /** Whether the ledger may be opened now. False during the backoff after a failure. */
  isDue(key: string): boolean {
    return (this.#failed.get(key)?.due ?? 0) <= this.#now();
  }

  /** Forgets ledgers that are no longer needed. */
  keep(isNeeded: (key: string) => boolean): void {
    for (const key of this.#failed.keys()) if (!isNeeded(key)) this.#failed.delete(key);
  }

  all(): Iterable<UnavailableLedger & { why: string }> {
    return this.#failed.values();
  }
}
