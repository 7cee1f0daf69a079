import { type Backoff, backoff } from '@ledger-ops/base/backoff';
import { problemFrom } from '../../adapter-problem.ts';

/** A ledger that could not be opened at the last attempt. */
export interface UnavailableLedger {
  ledgerUid: string;
  ledgerId: string;
  /** Plugin whose actions need the ledger; null if any plugin that serves the ledger can be used. */
  plugin: string | null;
}

/**
 * Problems that may be temporary. `address-not-opened` lasts until this server is restarted with another configuration.
 */
const notReached = new Set(['ledger-unavailable', 'ledger-timeout', 'address-not-opened']);

/** Ledgers that could not be opened, each with the last failure and the time of the next attempt. In memory only. */
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

  /** Removes ledgers that are no longer needed. */
  keep(isNeeded: (key: string) => boolean): void {
    for (const key of this.#failed.keys()) if (!isNeeded(key)) this.#failed.delete(key);
  }

  all(): Iterable<UnavailableLedger & { why: string }> {
    return this.#failed.values();
  }
}
