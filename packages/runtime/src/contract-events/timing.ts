import type { Backoff } from '@ledger-ops/backoff';

/** How long reading events of contracts waits for what, in milliseconds. Tests give shorter times. */
export interface ContractEventTiming {
  /** Between two looks for subscriptions that are due. */
  readonly look: number;
  /** Between two readings of a subscription that has nothing more to read. */
  readonly poll: number;
  /** A server that was silent for so long has lost its subscriptions. */
  readonly lease: number;
  /** Between two tries of a reading that failed. */
  readonly again: Backoff;
}

export const defaultContractEventTiming: ContractEventTiming = {
  look: 500,
  poll: 2_000,
  lease: 30_000,
  again: { first: 2_000, longest: 60_000 },
};
