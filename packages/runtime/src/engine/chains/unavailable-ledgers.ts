import { type Backoff, backoff } from '@ledger-ops/backoff';
import { problemFrom } from '../../adapter-problem.ts';

/** A ledger that could not be opened, when that was last tried, for something that needs it. */
export interface UnavailableLedger {
  ledgerUid: string;
  ledgerId: string;
  /** Whose actions wait for it; null: those of whichever plugin serves the ledger. */
  plugin: string | null;
}

/** Ledgers that are not reached, with the work that waits for them. */
export interface UnavailableLedgers {
  /** Does it; its failure is remembered until it goes well. @throws what `work` throws */
  note(key: string, ledger: UnavailableLedger, work: () => Promise<void>): Promise<void>;
  /** False for a while after it failed, the longer the more often it did. */
  isDue(key: string): boolean;
  /** Forgets what nothing needs any more. */
  keep(isNeeded: (key: string) => boolean): void;
  all(): Iterable<UnavailableLedger & { why: string }>;
}

/** Problems of a ledger that may be reached later; where its nodes are not opened, after the server was started anew. */
const notReached = new Set(['ledger-unavailable', 'ledger-timeout', 'address-not-opened']);

export function createUnavailableLedgers(now: () => number, pauses: Backoff): UnavailableLedgers {
  const known = new Map<string, UnavailableLedger & { why: string; failures: number; due: number }>();
  return {
    async note(key, ledger, work) {
      try {
        await work();
        known.delete(key);
      } catch (error) {
        const { problem, message } = problemFrom(error);
        const failures = (known.get(key)?.failures ?? 0) + 1;
        const due = now() + backoff(failures, pauses);
        if (notReached.has(problem)) known.set(key, { ...ledger, why: message, failures, due });
        else known.delete(key);
        throw error;
      }
    },
    isDue: (key) => (known.get(key)?.due ?? 0) <= now(),
    keep(isNeeded) {
      for (const key of known.keys()) if (!isNeeded(key)) known.delete(key);
    },
    all: () => known.values(),
  };
}
