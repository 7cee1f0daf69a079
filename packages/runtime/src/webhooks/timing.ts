import type { Backoff } from '@ledger-ops/base/backoff';

/** Intervals and timeouts of webhooks, in milliseconds. Tests use shorter ones. */
export interface WebhookTiming {
  /** Interval between checks for events and due deliveries. */
  readonly look: number;
  /** Time without a renewal after which a server loses the leases of its webhooks. */
  readonly lease: number;
  /** Time that a receiver has to respond. */
  readonly answer: number;
  /** Delay between attempts of a delivery. */
  readonly again: Backoff;
  /** Time after which a delivery is given up. */
  readonly giveUp: number;
  /** Time without a successful delivery after which a webhook is disabled. */
  readonly disable: number;
  /** How long the previous secret also signs after a rotation. */
  readonly overlap: number;
  /** How long final deliveries are listed. */
  readonly keep: number;
}

const hour = 3_600_000;
const day = 24 * hour;

export const defaultWebhookTiming: WebhookTiming = {
  look: 500,
  lease: 10_000,
  answer: 15_000,
  again: { first: 5_000, longest: 6 * hour },
  giveUp: 3 * day,
  disable: 5 * day,
  overlap: day,
  keep: 7 * day,
};
