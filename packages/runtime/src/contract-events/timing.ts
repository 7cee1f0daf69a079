import type { Backoff } from '@ledger-ops/base/backoff';

/** Intervals and timeouts of the contract event reader, in milliseconds. Tests use shorter values. */
export interface ContractEventTiming {
  /** Interval between checks for due subscriptions. */
  readonly look: number;
  /** Interval between reads of a subscription whose events have all been read. */
  readonly poll: number;
  /** Lifetime of a subscription's lease: a server that does not renew it in this time loses it. */
  readonly lease: number;
  /** Time limit for reading one page of events. */
  readonly longest: number;
  /** Delay before a failed read is retried. */
  readonly again: Backoff;
}

export const defaultContractEventTiming: ContractEventTiming = {
  look: 500,
  poll: 2_000,
  lease: 30_000,
  longest: 60_000,
  again: { first: 2_000, longest: 60_000 },
};
