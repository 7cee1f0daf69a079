import type { RequestResult } from '@ledger-ops/adapter';

/**
 * Receives events of the runtime, for metrics. Methods are called on hot paths, after the event is durable, so they
 * must neither wait nor throw. All times are in milliseconds.
 */
export interface Meter {
  action(ledgerId: string, status: 'accepted' | 'succeeded' | 'failed' | 'cancelled'): void;
  /**
   * An action reached a step. `milliseconds` is measured from the acceptance for `signed` and `ended`, from the first
   * signature for `sent` (a node accepted the transaction), and from `sent` for `final`.
   */
  step(ledgerId: string, step: 'signed' | 'sent' | 'final' | 'ended', milliseconds: number): void;
  /** A fee paid by an action, in the smallest unit of the ledger's currency, as decimal text. */
  fee(ledgerId: string, amount: string): void;
  /** Another transaction is sent, to replace an unmined transaction or to fill a missing sequence. */
  replacement(ledgerId: string, kind: 'bump' | 'noop' | 'filler'): void;
  /** A wallet was suspended because it has unknown transactions. */
  unknownTransactions(ledgerId: string): void;
  /** A call to a plugin has completed. `result`: `ok`, or the error code. */
  called(ledgerId: string, method: string, result: string, milliseconds: number): void;
  /** A request to a node has completed, as its plugin reported. `method` is the name in the ledger's protocol. */
  requested(ledgerId: string, method: string, result: RequestResult, milliseconds: number): void;
}

export const noMeter: Meter = {
  action() {},
  step() {},
  fee() {},
  replacement() {},
  unknownTransactions() {},
  called() {},
  requested() {},
};
