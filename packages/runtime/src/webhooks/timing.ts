import type { Backoff } from '@ledger-ops/base/backoff';

/** Intervals and timeouts of webhooks, in milliseconds. Tests use shorter values. */
export interface WebhookTiming {
  /** Interval between checks for events and due deliveries. */
  readonly look: number;
  /** Lifetime of a webhook's lease: a server that does not renew it in this time loses it. */
  readonly lease: number;
  /** Time in which a receiver must respond. */
  readonly answer: number;
  /** Delay between attempts of a delivery. */
  readonly again: Backoff;
  /** Time after which an undelivered event is given up. */
  readonly giveUp: number;
  /** Time without a successful delivery after which a webhook is disabled. */
  readonly disable: number;
  /** Time after a rotation in which the previous secret also signs. */
  readonly overlap: number;
  /** Time for which final deliveries are listed. */
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
