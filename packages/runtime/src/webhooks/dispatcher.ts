import { randomUUID } from 'node:crypto';
import { backoff } from '@ledger-ops/base/backoff';
import type { Store } from '@ledger-ops/store';
import { TenantTurns } from '../concurrency/tenant-turns.ts';
import type { EventLog } from '../events/types.ts';
import type { Log } from '../log.ts';
import { disown, own } from '../rows/owned.ts';
import { projectNameOf } from '../rows/project-name.ts';
import { changeDeliveryBytes, isOrganizationFull, recountDeliveryBytes } from './delivery-bytes.ts';
import {
  addDeliveries,
  advance,
  anyEnabled,
  type DueDelivery,
  filterOf,
  formatOf,
  giveUpPending,
  hasPending,
  isFull,
  type OpenWebhook,
  pruneDeliveries,
  pruneListed,
  readDue,
  readOpen,
  recordAttempts,
  type TriedDelivery,
  updateWebhook,
  type WebhookRow,
  webhooks,
} from './rows.ts';
import { deliveryOf } from './send.ts';
import type { WebhookTiming } from './timing.ts';
import type { Posted } from './types.ts';

/**
 * Maximum number of pending deliveries of one webhook, and of bytes in their bodies. Further events wait in the event
 * log.
 */
const mostPending = { deliveries: 1_000, bytes: 16_777_216 };
/** Maximum number of final deliveries of one webhook that are listed, for each status. */
const mostListed = 10_000;
/** Maximum number of concurrent deliveries of one webhook. */
const atOnce = 16;
/** Maximum number of webhooks that are processed concurrently; see `TenantPlaces`. */
const places = { quick: 32, slow: 64, ofOrganization: 16 };
/** Maximum number of rounds for one webhook before the next webhook is processed. */
const roundsInTurn = 20;
/** Interval between removals of expired deliveries, in milliseconds. */
const pruneIntervalMs = 60_000;
/** HTTP status with which a receiver says that it wants no further events (RFC 9110, 15.5.11). */
const gone = 410;

const bytesOf = (deliveries: readonly { body: string }[]) =>
  deliveries.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

export interface DispatcherOptions {
  store: Store;
  events: Pick<EventLog, 'ofProject' | 'latest'>;
  send: (row: WebhookRow, id: string, body: string) => Promise<Posted>;
  /** The service's public address. It is the source of CloudEvents. */
  source: string;
  timing: WebhookTiming;
  log: Log;
}

/**
 * Converts events to deliveries and sends them. Each webhook belongs to one server at a time.
 *
 * `#working` contains the webhooks that this server processes or has queued, and `#owned` the times when its leases of
 * webhooks expire. `#resting` contains the times when sending may continue after a receiver's `Retry-After`. `#tried`
 * contains the webhooks with attempts since the last removal of expired deliveries. Times are by the database's clock.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #owner = randomUUID();
  readonly #working = new Map<string, Promise<void>>();
  readonly #turns = new TenantTurns(places);
  readonly #resting = new Map<string, number>();
  readonly #owned = new Map<string, number>();
  readonly #tried = new Set<string>();
  #polling: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #prunedAt = 0;
  #isStopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule();
  }

  /**
   * Stops, and waits for running requests. Another server, or this server after a restart, continues with the remaining
   * deliveries.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#polling;
    await Promise.all(this.#working.values());
    await this.#options.store.transaction((tx) => disown(tx, webhooks, this.#owner));
  }

  async #poll(): Promise<void> {
    // If no webhook is enabled, the positions of new events do not have to be assigned yet.
    const latest = (await anyEnabled(this.#options.store.read)) ? await this.#options.events.latest() : 0;
    const now = await this.#options.store.now();
    for (const uid of this.#working.keys()) {
      if ((this.#owned.get(uid) ?? 0) < now + this.#options.timing.lease / 2) await this.#claim(uid, now);
    }
    const open = await readOpen(this.#options.store.read, this.#owner, now, latest);
    for (const one of open) {
      if (this.#working.has(one.uid) || this.#isResting(one.uid, now)) continue;
      const work = this.#workOn(one)
        .catch((error: unknown) => this.#warn('webhook failed', error))
        .finally(() => this.#working.delete(one.uid));
      this.#working.set(one.uid, work);
    }
    if (now - this.#prunedAt > pruneIntervalMs) {
      this.#prunedAt = now;
      await this.#prune(now);
    }
  }

  async #prune(now: number): Promise<void> {
    const { store, timing } = this.#options;
    await store.transaction(async (tx) => {
      await pruneDeliveries(tx, now - timing.keep);
      await recountDeliveryBytes(tx);
    });
    for (const uid of this.#tried) {
      this.#tried.delete(uid);
      while (await store.transaction((tx) => pruneListed(tx, uid, mostListed)));
    }
  }

  #isResting(uid: string, now: number): boolean {
    if ((this.#resting.get(uid) ?? 0) > now) return true;
    this.#resting.delete(uid);
    return false;
  }

  /**
   * Acquires or renews the lease of a webhook. Returns undefined if another server holds the lease, or if the
   * webhook is not enabled.
   */
  async #claim(uid: string, now: number): Promise<WebhookRow | undefined> {
    const until = now + this.#options.timing.lease;
    const row = await this.#options.store.transaction((tx) =>
      own<WebhookRow>(tx, webhooks, uid, this.#owner, now, until),
    );
    if (row === undefined) this.#owned.delete(uid);
    else this.#owned.set(uid, until);
    return row;
  }

  /** Processes the webhook until there is nothing more to do or the maximum number of rounds is reached. */
  async #workOn({ uid, ...tenant }: OpenWebhook): Promise<void> {
    while (await this.#turns.run(tenant, uid, () => this.#takeTurn(uid)));
  }

  /** Processes one round of the webhook. Returns whether there is more to do. */
  async #takeTurn(uid: string): Promise<boolean> {
    for (let round = 0; round < roundsInTurn; round += 1) {
      if (this.#isStopped) return false;
      const now = await this.#options.store.now();
      if (this.#isResting(uid, now)) return false;
      const row = await this.#claim(uid, now);
      if (row === undefined) return false;
      const more = await this.#queueDeliveries(row, now);
      const due = await readDue(this.#options.store.read, uid, now, atOnce);
      if (due.length === 0 && !more) return false;
      if (due.length > 0) await this.#deliver(row, due);
    }
    return true;
  }

  /** Converts the next events to deliveries. Returns whether there are more. */
  async #queueDeliveries(row: WebhookRow, now: number): Promise<boolean> {
    if (await this.#isFull(row)) return false;
    const {
      events: found,
      next,
      more,
    } = await this.#options.events.ofProject(row.project_id, filterOf(row), row.place);
    if (next === row.place) return false;
    const deliveries = found.map((event) => deliveryOf(event, formatOf(row), this.#options.source));
    return await this.#options.store.transaction(async (tx) => {
      if (!(await advance(tx, row, this.#owner, next))) return false;
      await addDeliveries(tx, row.uid, deliveries, now, now + this.#options.timing.giveUp);
      await changeDeliveryBytes(tx, row.project_id, bytesOf(deliveries));
      return more;
    });
  }

  /**
   * Whether further events must wait in the event log. If the organization has reached its limit, a webhook gets more
   * events only when its earlier deliveries are final. So failing webhooks do not block the organization's other
   * webhooks.
   */
  async #isFull({ uid, project_id }: WebhookRow): Promise<boolean> {
    const { read } = this.#options.store;
    if (await isFull(read, uid, mostPending)) return true;
    return (await isOrganizationFull(read, project_id)) && (await hasPending(read, uid));
  }

  async #deliver(row: WebhookRow, due: readonly DueDelivery[]): Promise<void> {
    const sending = Promise.all(due.map(({ event_id, body }) => this.#options.send(row, event_id, body)));
    const posted = await this.#turns.observe(row.uid, sending);
    const now = await this.#options.store.now();
    const rest = Math.max(...posted.map(({ retryAfterMs }) => retryAfterMs ?? 0));
    if (rest > 0) this.#resting.set(row.uid, now + rest);
    const outcomes = due.map((delivery, index) => this.#outcomeOf(delivery, posted[index], now));
    const isAlive = outcomes.some(({ status }) => status === 'DELIVERED');
    const failingSince = isAlive ? null : (row.failing_since ?? now);
    const reason = this.#reasonToDisable(posted, failingSince, now);
    await this.#options.store.transaction(async (tx) => {
      await recordAttempts(tx, row.uid, outcomes, now);
      const ended = due.filter((_, index) => outcomes[index]?.status !== 'PENDING');
      await changeDeliveryBytes(tx, row.project_id, -bytesOf(ended));
      if (reason !== null) {
        await updateWebhook(tx, row.uid, { status: 'DISABLED', reason, updated_at: now });
        await giveUpPending(tx, row.uid);
      } else if (failingSince !== row.failing_since) {
        await updateWebhook(tx, row.uid, { failing_since: failingSince });
      }
    });
    this.#tried.add(row.uid);
    await this.#logChange(row, posted, failingSince, reason);
  }

  /** Logs when a series of failures begins or ends, and when the webhook is disabled. Does not log every attempt. */
  async #logChange(
    row: WebhookRow,
    posted: readonly Posted[],
    failingSince: number | null,
    reason: string | null,
  ): Promise<void> {
    if (reason === null && (failingSince === null) === (row.failing_since === null)) return;
    const of = {
      webhookId: row.uid,
      projectId: await projectNameOf(this.#options.store.read, row.project_id),
    };
    if (reason !== null) return this.#options.log('warn', 'webhook disabled', { ...of, detail: reason });
    if (failingSince === null) return this.#options.log('info', 'webhook deliveries succeed again', of);
    const { status, error } = posted[0] ?? {};
    this.#options.log('warn', 'webhook failing', { ...of, status, detail: error });
  }

  #outcomeOf(
    { event_id, attempts, expires_at }: DueDelivery,
    posted: Posted | undefined,
    now: number,
  ): TriedDelivery {
    const { status: last_status = null, error: last_error = null, retryAfterMs } = posted ?? {};
    if (last_error === null) return { event_id, status: 'DELIVERED', due_at: now, last_status, last_error };
    const wait = Math.max(
      backoff(attempts + 1, this.#options.timing.again, Math.random()),
      retryAfterMs ?? 0,
    );
    const due_at = Math.round(now + wait);
    const status = now >= expires_at ? 'DEAD' : 'PENDING';
    // If the next attempt would come after the delivery expires, the last attempt is made when it expires.
    return { event_id, status, due_at: Math.min(due_at, Math.max(now, expires_at)), last_status, last_error };
  }

  #reasonToDisable(posted: readonly Posted[], failingSince: number | null, now: number): string | null {
    if (posted.some(({ status }) => status === gone))
      return 'The receiver returned 410 (Gone), so no more events are sent.';
    if (failingSince === null || now - failingSince < this.#options.timing.disable) return null;
    return `Nothing has been delivered since ${new Date(failingSince).toISOString()}.`;
  }

  #warn(event: string, error: unknown): void {
    this.#options.log('warn', event, { error: error instanceof Error ? error.name : 'unknown' });
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll()
        .catch((error: unknown) => this.#warn('webhooks not read', error))
        .finally(() => this.#schedule());
    }, this.#options.timing.look);
  }
}
