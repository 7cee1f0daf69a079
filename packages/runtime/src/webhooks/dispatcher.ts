import { randomUUID } from 'node:crypto';
import { backoff } from '@ledger-ops/backoff';
import type { Store } from '@ledger-ops/store';
import type { EventLog } from '../events/types.ts';
import type { Log } from '../log.ts';
import { disown, own } from '../rows/owned.ts';
import { projectNameOf } from '../rows/project-name.ts';
import {
  addDeliveries,
  advance,
  anyEnabled,
  buryPending,
  countPending,
  type DueDelivery,
  filterOf,
  formatOf,
  pruneDeliveries,
  readDue,
  readOpen,
  recordTries,
  type TriedDelivery,
  updateWebhook,
  type WebhookRow,
  webhooks,
} from './rows.ts';
import { deliveryOf } from './send.ts';
import type { WebhookTiming } from './timing.ts';
import type { Posted } from './types.ts';

/** Deliveries that wait for one receiver before its further events wait in the log. */
const mostPending = 1_000;
/** Deliveries of one webhook that are sent at once. */
const atOnce = 16;
/** Milliseconds between two sweeps of deliveries that are listed no longer. */
const pruneEvery = 60_000;
/** The receiver wants no more of it (RFC 9110, 15.5.11). */
const gone = 410;

export interface DispatcherOptions {
  store: Store;
  events: Pick<EventLog, 'ofProject' | 'latest'>;
  send: (row: WebhookRow, id: string, body: string) => Promise<Posted>;
  /** The source that CloudEvents name. */
  source: string;
  timing: WebhookTiming;
  log: Log;
}

/** Turns events into deliveries, and delivers them: each webhook is one server's at a time. */
export interface Dispatcher {
  start(): void;
  /** Waits for the requests that are under way; the rest goes on at another server, or the next start. */
  stop(): Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, events, send, source, timing, log } = options;
  const owner = randomUUID();
  /** Webhooks that are worked on here. */
  const working = new Map<string, Promise<void>>();
  /** Until when a webhook is this server's, by the database's clock. */
  const owned = new Map<string, number>();
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let prunedAt = 0;
  let stopped = false;

  async function look(): Promise<void> {
    // Nobody pays for places in the stream of events while nothing is to be told of them.
    const latest = (await anyEnabled(store.read)) ? await events.latest() : 0;
    const now = await store.now();
    for (const uid of working.keys()) {
      if ((owned.get(uid) ?? 0) < now + timing.lease / 2) await claim(uid, now);
    }
    for (const uid of await readOpen(store.read, owner, now, latest)) {
      if (working.has(uid)) continue;
      const work = workOn(uid)
        .catch((error: unknown) => warn('webhook failed', error))
        .finally(() => working.delete(uid));
      working.set(uid, work);
    }
    if (now - prunedAt > pruneEvery) {
      prunedAt = now;
      await store.transaction((tx) => pruneDeliveries(tx, now - timing.keep));
    }
  }

  /** Takes or keeps a webhook; undefined: it is another server's, or not enabled. */
  async function claim(uid: string, now: number): Promise<WebhookRow | undefined> {
    const until = now + timing.lease;
    const row = await store.transaction((tx) => own<WebhookRow>(tx, webhooks, uid, owner, now, until));
    if (row === undefined) owned.delete(uid);
    else owned.set(uid, until);
    return row;
  }

  async function workOn(uid: string): Promise<void> {
    while (!stopped) {
      const now = await store.now();
      const row = await claim(uid, now);
      if (row === undefined) return;
      const more = await takeEvents(row, now);
      const due = await readDue(store.read, uid, now, atOnce);
      if (due.length === 0 && !more) return;
      if (due.length > 0) await deliver(row, due);
    }
  }

  /** Makes deliveries of the events that are next. Answers whether there are more. */
  async function takeEvents(row: WebhookRow, now: number): Promise<boolean> {
    if ((await countPending(store.read, row.uid)) >= mostPending) return false;
    const { events: found, next, more } = await events.ofProject(row.project_id, filterOf(row), row.place);
    if (next === row.place) return false;
    const deliveries = found.map((event) => deliveryOf(event, formatOf(row), source));
    return await store.transaction(async (tx) => {
      if (!(await advance(tx, row, owner, next))) return false;
      await addDeliveries(tx, row.uid, deliveries, now, now + timing.giveUp);
      return more;
    });
  }

  async function deliver(row: WebhookRow, due: readonly DueDelivery[]): Promise<void> {
    const posted = await Promise.all(due.map(({ event_id, body }) => send(row, event_id, body)));
    const now = await store.now();
    const outcomes = due.map((delivery, index) => outcomeOf(delivery, posted[index], now));
    const isAlive = outcomes.some(({ status }) => status === 'DELIVERED');
    const failingSince = isAlive ? null : (row.failing_since ?? now);
    const reason = reasonToDisable(posted, failingSince, now);
    await store.transaction(async (tx) => {
      await recordTries(tx, row.uid, outcomes, now);
      if (reason !== null) {
        await updateWebhook(tx, row.uid, { status: 'DISABLED', reason, updated_at: now });
        await buryPending(tx, row.uid);
      } else if (failingSince !== row.failing_since) {
        await updateWebhook(tx, row.uid, { failing_since: failingSince });
      }
    });
    await tell(row, posted, failingSince, reason);
  }

  /** Once for each time of failures, not for each try. */
  async function tell(
    row: WebhookRow,
    posted: readonly Posted[],
    failingSince: number | null,
    reason: string | null,
  ): Promise<void> {
    if (reason === null && (failingSince === null) === (row.failing_since === null)) return;
    const of = { webhookId: row.uid, projectId: await projectNameOf(store.read, row.project_id) };
    if (reason !== null) return log('warn', 'webhook disabled', { ...of, detail: reason });
    if (failingSince === null) return log('info', 'webhook delivers again', of);
    const { status, error } = posted[0] ?? {};
    log('warn', 'webhook failing', { ...of, status, detail: error });
  }

  function outcomeOf(
    { event_id, attempts, expires_at }: DueDelivery,
    posted: Posted | undefined,
    now: number,
  ): TriedDelivery {
    const { status: last_status = null, error: last_error = null } = posted ?? {};
    if (last_error === null) return { event_id, status: 'DELIVERED', due_at: now, last_status, last_error };
    const due_at = Math.round(now + backoff(attempts + 1, timing.again, Math.random()));
    const status = now >= expires_at ? 'DEAD' : 'PENDING';
    // The last try is made when the time is over.
    return { event_id, status, due_at: Math.min(due_at, Math.max(now, expires_at)), last_status, last_error };
  }

  function reasonToDisable(
    posted: readonly Posted[],
    failingSince: number | null,
    now: number,
  ): string | null {
    if (posted.some(({ status }) => status === gone)) return 'It answered 410: it wants no more events.';
    if (failingSince === null || now - failingSince < timing.disable) return null;
    return `Nothing could be delivered since ${new Date(failingSince).toISOString()}.`;
  }

  function warn(event: string, error: unknown): void {
    log('warn', event, { error: error instanceof Error ? error.name : 'unknown' });
  }

  function schedule(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      looking = look()
        .catch((error: unknown) => warn('webhooks not read', error))
        .finally(schedule);
    }, timing.look);
  }

  return {
    start: schedule,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looking;
      await Promise.all(working.values());
      await store.transaction((tx) => disown(tx, webhooks, owner));
    },
  };
}
