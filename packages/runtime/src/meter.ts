import type { RequestResult } from '@ledger-ops/adapter';

/**
 * Hears what the runtime does, for whoever counts it. Called on hot paths, with what is durable: it neither waits nor
 * throws. All times are milliseconds.
 */
export interface Meter {
  action(ledgerId: string, status: 'accepted' | 'succeeded' | 'failed' | 'cancelled'): void;
  /**
   * An action came so far: `signed` since its acceptance, `sent` (a node has taken it) since its first signature, `final`
   * since a node took it, `ended` since its acceptance.
   */
  step(ledgerId: string, step: 'signed' | 'sent' | 'final' | 'ended', milliseconds: number): void;
  /** Paid by an action, in the smallest unit of the ledger's currency, decimal text. */
  fee(ledgerId: string, amount: string): void;
  /** Another transaction goes out in the place of what is not mined, or at a sequence that nobody can send. */
  replacement(ledgerId: string, kind: 'bump' | 'noop' | 'filler'): void;
  /** A call of a plugin has ended. `result`: `ok`, or the code of its error. */
  called(ledgerId: string, method: string, result: string, milliseconds: number): void;
  /** A request of a plugin to a node has ended, as the plugin tells; `method` as the ledger's protocol names it. */
  requested(ledgerId: string, method: string, result: RequestResult, milliseconds: number): void;
}

/** Hears nothing. */
export const deafMeter: Meter = {
  action() {},
  step() {},
  fee() {},
  replacement() {},
  called() {},
  requested() {},
};
