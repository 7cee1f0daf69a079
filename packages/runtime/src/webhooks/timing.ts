import type { Backoff } from '@ledger-ops/backoff';

/** How long webhooks wait for what, in milliseconds. Tests give shorter times. */
export interface WebhookTiming {
  /** Between two looks for events and for what is due. */
  readonly look: number;
  /** A server that was silent for so long has lost its webhooks. */
  readonly lease: number;
  /** For a receiver to answer. */
  readonly answer: number;
  /** Between two tries of a delivery. */
  readonly again: Backoff;
  /** After which a delivery is given up. */
  readonly giveUp: number;
  /** After which a webhook to which nothing could be delivered is disabled. */
  readonly disable: number;
  /** For which the secret before a rotation signs too. */
  readonly overlap: number;
  /** For which deliveries that have ended are listed. */
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
