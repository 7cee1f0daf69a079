import type { Principal } from '@ledger-ops/auth';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { EventFilter } from '../events/types.ts';

/** How events are written for a webhook. */
export type EventFormat = 'standard' | 'cloudevents';

/** Where events of a project are sent. */
export interface WebhookView {
  id: string;
  url: string;
  description: string | null;
  /** Empty members: all. */
  filter: EventFilter;
  format: EventFormat;
  status: 'ENABLED' | 'DISABLED';
  /** Why it was disabled; null: by a request, or it is enabled. */
  reason: string | null;
  /** Since when no delivery succeeded; null: the last one did. */
  failingSince: number | null;
  /** Until when the secret before signs too; null: there is none. */
  earlierSecretUntil: number | null;
  createdAt: number;
  updatedAt: number;
}

/** With its secret, which is shown this once. */
export interface WebhookWithSecret extends WebhookView {
  /** `whsec_…`, as Standard Webhooks has it. */
  secret: string;
}

/** Absent members stay as they are, or are those of a new webhook: null, which admits all. */
export type GivenFilter = { [Name in keyof EventFilter]: EventFilter[Name] | null };

export interface NewWebhook {
  url: string;
  description: string | null;
  filter: GivenFilter;
  format: EventFormat;
}

/** Absent members stay as they are. */
export interface WebhookChange extends Partial<NewWebhook> {
  status?: WebhookView['status'];
}

/** An event on its way to a webhook, or at its end. */
export interface DeliveryView {
  eventId: string;
  type: string;
  /** Null: of no action. */
  actionId: string | null;
  status: 'PENDING' | 'DELIVERED' | 'DEAD';
  attempts: number;
  createdAt: number;
  /** When it is tried next; null: no more. */
  nextAt: number | null;
  lastAt: number | null;
  /** Status of the last answer; null: there was none. */
  lastStatus: number | null;
  lastError: string | null;
}

export interface DeliveriesQuery {
  status?: DeliveryView['status'] | undefined;
  /** The `next` of the page before. */
  before?: number | undefined;
  size: number;
}

/** One try to deliver. */
export interface Posted {
  /** Of the answer; null: there was none. */
  status: number | null;
  /** Why it counts as failed; null: it does not. */
  error: string | null;
}

/** A webhook of any project that something is wrong with. */
export interface LateWebhook {
  id: string;
  /** Null: the project is deleted. */
  projectId: string | null;
  /** Of its URL: the rest may be a secret. */
  host: string;
  status: WebhookView['status'];
  reason: string | null;
  failingSince: number | null;
  pending: number;
  /** When the oldest pending delivery was made; null: none is pending. */
  oldestPendingAt: number | null;
  /** Of the delivery that failed last. */
  lastError: string | null;
}

/** Webhooks of the caller's project. All throw Problems; `not-found` for what is not the project's. */
export interface Webhooks {
  create(principal: Principal, webhook: NewWebhook, claim?: IdempotencyClaim): Promise<WebhookWithSecret>;
  list(principal: Principal): Promise<WebhookView[]>;
  get(principal: Principal, id: string): Promise<WebhookView>;
  update(principal: Principal, id: string, change: WebhookChange): Promise<WebhookView>;
  delete(principal: Principal, id: string): Promise<void>;
  /** Makes another secret; for a day the one before signs too. Made again in that day, it takes the place of the newer one. */
  rotate(principal: Principal, id: string, claim?: IdempotencyClaim): Promise<WebhookWithSecret>;
  /** Sends an event that is none, now. */
  test(principal: Principal, id: string): Promise<Posted>;
  /** Newest first. */
  deliveries(
    principal: Principal,
    id: string,
    query: DeliveriesQuery,
  ): Promise<{ items: DeliveryView[]; next: number | null }>;
  /** Of all projects, for who may read the installation: those that do not take what they are sent, the latest first. */
  late(principal: Principal): Promise<LateWebhook[]>;
  /** Delivers one event again, or all from a time on. */
  replay(principal: Principal, id: string, what: { eventId: string } | { from: number }): Promise<void>;
}

/** Of all webhooks of the installation. */
export interface WebhookState {
  pending: number;
  /** When the oldest pending delivery was made; null: none is pending. */
  oldest: number | null;
  /** Disabled for their failures. */
  disabled: number;
}
