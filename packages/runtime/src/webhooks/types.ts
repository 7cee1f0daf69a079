import type { Principal } from '@ledger-ops/auth';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { EventFilter } from '../events/types.ts';

/** Event format of a webhook. */
export type EventFormat = 'standard' | 'cloudevents';

/** An endpoint to which a project's events are sent. */
export interface WebhookView {
  id: string;
  url: string;
  description: string | null;
  /** Filter for events. A member without values does not restrict the events. */
  filter: EventFilter;
  format: EventFormat;
  status: 'ENABLED' | 'DISABLED';
  /** Why the service disabled the webhook; null if the webhook is enabled, or if a caller disabled it. */
  reason: string | null;
  /** When the current series of failed deliveries began; null if the last delivery succeeded. */
  failingSince: number | null;
  /** When the previous secret stops signing; null if there is no previous secret. */
  earlierSecretUntil: number | null;
  createdAt: number;
  updatedAt: number;
}

/** A webhook with its secret, which is shown only once. */
export interface WebhookWithSecret extends WebhookView {
  /** `whsec_…` (Standard Webhooks). */
  secret: string;
}

/** Changes of the filter. Absent members keep their values. Null, the default of a new webhook, matches everything. */
export type GivenFilter = { [Name in keyof EventFilter]: EventFilter[Name] | null };

export interface NewWebhook {
  url: string;
  description: string | null;
  filter: GivenFilter;
  format: EventFormat;
}

/** Absent members keep their values. */
export interface WebhookChange extends Partial<NewWebhook> {
  status?: WebhookView['status'];
}

/** A delivery of an event to a webhook. */
export interface DeliveryView {
  eventId: string;
  type: string;
  /** Id of the action; null if the event is not about an action. */
  actionId: string | null;
  status: 'PENDING' | 'DELIVERED' | 'DEAD';
  attempts: number;
  createdAt: number;
  /** Time of the next attempt; null if there will be none. */
  nextAt: number | null;
  lastAt: number | null;
  /** Status of the last response; null if there was no response. */
  lastStatus: number | null;
  lastError: string | null;
}

export interface DeliveriesQuery {
  status?: DeliveryView['status'] | undefined;
  /** The `next` of the previous page. */
  before?: number | undefined;
  size: number;
}

export interface Posted {
  /** Status of the response; null if there was no response. */
  status: number | null;
  /** Why the attempt failed; null if it succeeded. */
  error: string | null;
  /** The receiver's `Retry-After` in milliseconds, limited to a maximum; null if the receiver sent none. */
  retryAfterMs: number | null;
}

/** A failing or disabled webhook of any project. */
export interface LateWebhook {
  id: string;
  /** Null if the project is deleted. */
  projectId: string | null;
  /** Host of the URL; the rest of the URL may be secret. */
  host: string;
  status: WebhookView['status'];
  reason: string | null;
  failingSince: number | null;
  pending: number;
  /** When the oldest pending delivery was created; null if none is pending. */
  oldestPendingAt: number | null;
  /** Error of the last failed delivery. */
  lastError: string | null;
}

/** Webhooks of the caller's project. For webhooks of other projects, methods throw Problem `not-found`. */
export interface Webhooks {
  create(principal: Principal, webhook: NewWebhook, claim?: IdempotencyClaim): Promise<WebhookWithSecret>;
  list(principal: Principal): Promise<WebhookView[]>;
  get(principal: Principal, id: string): Promise<WebhookView>;
  update(principal: Principal, id: string, change: WebhookChange): Promise<WebhookView>;
  delete(principal: Principal, id: string): Promise<void>;
  /**
   * Creates a new secret. For one day, the previous secret also signs. A second rotation on that day replaces the newer
   * secret, not the previous one.
   */
  rotate(principal: Principal, id: string, claim?: IdempotencyClaim): Promise<WebhookWithSecret>;
  /** Sends a test event immediately. */
  test(principal: Principal, id: string): Promise<Posted>;
  /** Lists the deliveries of a webhook, newest first. */
  deliveries(
    principal: Principal,
    id: string,
    query: DeliveriesQuery,
  ): Promise<{ items: DeliveryView[]; next: number | null }>;
  /**
   * Lists failing webhooks of all projects, for callers that may read the installation. Those with the oldest pending
   * delivery come first.
   */
  late(principal: Principal): Promise<LateWebhook[]>;
  /** Delivers one event again, or all events since a time. */
  replay(principal: Principal, id: string, what: { eventId: string } | { from: number }): Promise<void>;
}

/** Totals over all webhooks of the installation. */
export interface WebhookState {
  pending: number;
  /** When the oldest pending delivery was created; null if none is pending. */
  oldest: number | null;
  /** Number of webhooks disabled because of failures. */
  disabled: number;
}
