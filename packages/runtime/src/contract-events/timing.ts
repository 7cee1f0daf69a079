import type { Backoff } from '@ledger-ops/base/backoff';

/** Intervals and timeouts of the contract event reader, in milliseconds. Tests use shorter ones. */
export interface ContractEventTiming {
  /** Interval between checks for due subscriptions. */
  readonly look: number;
  /** Interval between reads of a subscription that has nothing more to read. */
  readonly poll: number;
  /** Time without a renewal after which a server loses the leases of its subscriptions. */
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
