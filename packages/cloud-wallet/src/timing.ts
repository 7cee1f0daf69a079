import type { Backoff } from '@ledger-ops/backoff';

/** How long a served adapter waits for what, in milliseconds. Tests give shorter times. */
export interface Timing {
  /** Between two looks at a chain without new heads; longer while it cannot be read. */
  readonly poll: Backoff;
  /** After which unfinished transactions are submitted again. */
  readonly resend: number;
  /** For which a caller may go on sending a body that nobody reads any more. */
  readonly drop: number;
}

export const defaultTiming: Timing = {
  poll: { first: 1_000, longest: 30_000 },
  resend: 15_000,
  drop: 5_000,
};
