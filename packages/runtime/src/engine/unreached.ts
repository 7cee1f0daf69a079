import { problemFrom } from '../adapter-problem.ts';

/** A ledger that could not be opened, when that was last tried, for something that needs it. */
export interface UnreachedLedger {
  ledgerUid: string;
  ledgerId: string;
  /** Whose actions wait for it; null: those of whichever plugin serves the ledger. */
  plugin: string | null;
}

/** What cannot be done since ledgers are not reached, and why. */
export interface Unreached {
  /** Does it; its failure is remembered until it goes well. @throws what `work` throws */
  note(key: string, ledger: UnreachedLedger, work: () => Promise<void>): Promise<void>;
  /** False for a while after it failed, the longer the more often it did. */
  isDue(key: string): boolean;
  /** Forgets what nothing needs any more. */
  keep(isNeeded: (key: string) => boolean): void;
  all(): Iterable<UnreachedLedger & { why: string }>;
}

/** Problems of a ledger that may be reached later; where its nodes are not opened, after the server was started anew. */
const notReached = new Set(['ledger-unavailable', 'ledger-timeout', 'address-not-opened']);
/** Milliseconds after the first failure, doubled with each further one. */
const firstPause = 500;
const longestPause = 10_000;

export function createUnreached(now: () => number): Unreached {
  const known = new Map<string, UnreachedLedger & { why: string; failures: number; due: number }>();
  return {
    async note(key, ledger, work) {
      try {
        await work();
        known.delete(key);
      } catch (error) {
        const { problem, message } = problemFrom(error);
        const failures = (known.get(key)?.failures ?? 0) + 1;
        const due = now() + Math.min(longestPause, firstPause * 2 ** Math.min(failures, 10));
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
