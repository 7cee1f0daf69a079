import { type Auth, demandRecord, type Principal, systemUid, type Update } from '@ledger-ops/auth';
import { type MasterKey, Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, once, type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { recordEventActivity } from '../events/record-activity.ts';
import { type EventLog, webhookTestType } from '../events/types.ts';
import type { Poster } from './post.ts';
import { replay } from './replay.ts';
import {
  deleteWebhook,
  filterColumns,
  filterOf,
  formatOf,
  giveUpPending,
  insertWebhook,
  readDeliveries,
  readLate,
  readWebhook,
  readWebhooks,
  updateWebhook,
  type WebhookRow,
  webhookView,
} from './rows.ts';
import { newSecret, sealSecret } from './secret.ts';
import { createSender } from './send.ts';
import type { WebhookTiming } from './timing.ts';
import type { DeliveriesQuery, NewWebhook, WebhookChange, Webhooks } from './types.ts';

/** Maximum number of webhooks per project. */
const mostWebhooks = 20;
/** Maximum number of failing webhooks in a list. If more of them fail, the cause is usually the same. */
const mostLate = 100;

export interface WebhooksContext {
  store: Store;
  auth: Auth;
  masterKey: MasterKey;
  events: EventLog;
  poster: Poster;
  /** The service's public address. It is the source of CloudEvents. */
  source: string;
  now: () => number;
  timing: WebhookTiming;
}

/**
 * The webhook service, for callers that administer a project and may read all of its wallets. It has no state
 * in memory.
 */
export class WebhookService implements Webhooks {
  readonly #context: WebhooksContext;
  readonly #send: ReturnType<typeof createSender>;

  constructor(context: WebhooksContext) {
    this.#context = context;
    this.#send = createSender(context);
  }

  async create(
    principal: Principal,
    { url, description, filter, format }: NewWebhook,
    claim?: IdempotencyClaim,
  ) {
    const { store, masterKey, events, poster, now } = this.#context;
    await this.#demand(principal);
    const secret = newSecret();
    const uid = uuidv7();
    const at = now();
    const row: WebhookRow = {
      ...{ uid, project_id: principal.projectUid, url: poster.checkUrl(url, '/url'), description, format },
      ...{ types: null, ledgers: null, wallets: null, ...filterColumns(filter) },
      ...{ status: 'ENABLED', reason: null, failing_since: null },
      ...{ secret: sealSecret(masterKey, uid, secret), earlier_secret: null, earlier_until: null },
      ...{ place: await events.latest(), created_at: at, updated_at: at },
    };
    return await once(store, { claim, status: 201, secret: true }, async (tx) => {
      if ((await readWebhooks(tx, principal.projectUid)).length >= mostWebhooks) {
        throw new Problem(
          'conflict',
          `A project can have at most ${mostWebhooks} webhooks. Delete one that is not needed.`,
        );
      }
      await insertWebhook(tx, row);
      await demandRecord(tx, principal.projectUid, 'webhooks');
      await this.#record(tx, principal, 'create', row);
      return { ...webhookView(row, at), secret };
    });
  }

  async list(principal: Principal) {
    const { store, now } = this.#context;
    await this.#demand(principal);
    return (await readWebhooks(store.read, principal.projectUid)).map((row) => webhookView(row, now()));
  }

  async get(principal: Principal, id: string) {
    return webhookView(await this.#find(principal, id), this.#context.now());
  }

  async update(
    principal: Principal,
    id: string,
    { url, description, filter, format, status }: WebhookChange,
  ) {
    const { store, events, poster, now } = this.#context;
    const row = await this.#find(principal, id);
    const enabled = status === 'ENABLED' && row.status !== 'ENABLED';
    const changed = {
      ...(url === undefined ? {} : { url: poster.checkUrl(url, '/url') }),
      ...(description === undefined ? {} : { description }),
      ...(filter === undefined ? {} : filterColumns(filter)),
      ...(format === undefined ? {} : { format }),
      ...(status === undefined ? {} : { status, reason: null }),
      // A webhook that is enabled starts with new events. A replay can deliver the events that occurred while it was
      // disabled.
      ...(enabled ? { place: await events.latest(), failing_since: null } : {}),
      updated_at: now(),
    };
    return await store.transaction(async (tx) => {
      const view = await this.#change(tx, row, changed);
      if (status === 'DISABLED') await giveUpPending(tx, row.uid);
      const after = { ...row, ...changed };
      await this.#record(tx, principal, 'update', after, updateOf(row, after));
      return view;
    });
  }

  async delete(principal: Principal, id: string) {
    const row = await this.#find(principal, id);
    await this.#context.store.transaction(async (tx) => {
      if (!(await deleteWebhook(tx, row.uid))) throw noWebhook(row.uid);
      await this.#record(tx, principal, 'delete', row);
    });
  }

  async rotate(principal: Principal, id: string, claim?: IdempotencyClaim) {
    const { store, masterKey, timing, now } = this.#context;
    const row = await this.#find(principal, id);
    const secret = newSecret();
    return await once(store, { claim, status: 201, secret: true }, async (tx) => {
      const at = now();
      const view = await this.#change(tx, row, {
        ...{ secret: sealSecret(masterKey, row.uid, secret), earlier_secret: secretInUse(row, at) },
        ...{ earlier_until: at + timing.overlap, updated_at: at },
      });
      await this.#record(tx, principal, 'rotate', row);
      return { ...view, secret };
    });
  }

  async test(principal: Principal, id: string) {
    const { store, source, now } = this.#context;
    const row = await this.#find(principal, id);
    const { eventId, body } = testEvent(row, source, now());
    await store.transaction((tx) => this.#record(tx, principal, 'test', row));
    return await this.#send(row, eventId, JSON.stringify(body));
  }

  async deliveries(principal: Principal, id: string, query: DeliveriesQuery) {
    const { uid } = await this.#find(principal, id);
    return await readDeliveries(this.#context.store.read, uid, query);
  }

  async late(principal: Principal) {
    const { auth, store } = this.#context;
    await auth.demand(principal, 'system:read', systemUid);
    return await readLate(store.read, mostLate);
  }

  async replay(principal: Principal, id: string, what: { eventId: string } | { from: number }) {
    const row = await this.#find(principal, id);
    if (row.status !== 'ENABLED') throw new Problem('conflict', 'The webhook is disabled. Enable it first.');
    await replay(this.#context, row, what, (tx) => this.#record(tx, principal, 'replay', row));
  }

  async #find(principal: Principal, id: string): Promise<WebhookRow> {
    await this.#demand(principal);
    const row = await readWebhook(this.#context.store.read, principal.projectUid, id);
    if (row === undefined) throw noWebhook(id);
    return row;
  }

  /** Events cover all wallets of the project, so the caller must be allowed to read them all. */
  async #demand(principal: Principal): Promise<void> {
    await this.#context.auth.demand(principal, 'wallet:read', principal.projectUid);
  }

  #record(tx: Tx, principal: Principal, action: string, row: WebhookRow, update?: Update): Promise<void> {
    const target = { type: 'webhook', id: row.uid, name: row.description ?? originOf(row) } as const;
    const now = this.#context.now();
    return recordEventActivity(tx, principal, action, { ...target, ...(update && { update }) }, now);
  }

  async #change(tx: Tx, row: WebhookRow, changed: Parameters<typeof updateWebhook>[2]) {
    if (!(await updateWebhook(tx, row.uid, changed))) throw noWebhook(row.uid);
    return webhookView({ ...row, ...changed }, this.#context.now());
  }
}

/** Returns scheme, host and port of a webhook's URL. The rest of the URL may contain a token. */
function originOf({ url }: WebhookRow): string {
  return new URL(url).origin;
}

function updateOf(before: WebhookRow, after: WebhookRow): Update {
  const setOf = (row: WebhookRow) => {
    const { types, ledgers, wallets } = filterOf(row);
    const { description, format, status } = row;
    return { url: originOf(row), description, types, ledgers, wallets, format, status };
  };
  const isSameOrigin = originOf(before) === originOf(after);
  const hidden = {
    before: isSameOrigin ? { url: before.url } : {},
    after: isSameOrigin ? { url: after.url } : {},
  };
  return { before: setOf(before), after: setOf(after), hidden };
}

/** Returns a test event without data, in the webhook's format. It shows whether the receiver accepts deliveries. */
function testEvent(row: WebhookRow, source: string, now: number) {
  const [eventId, type, time, data] = [uuidv7(), webhookTestType, new Date(now).toISOString(), {}];
  const body =
    formatOf(row) === 'cloudevents'
      ? { specversion: '1.0', id: eventId, source, type, time, datacontenttype: 'application/json', data }
      : { id: eventId, type, timestamp: time, data };
  return { eventId, body };
}

function noWebhook(id: string): Problem {
  return new Problem('not-found', `This project has no webhook ${id}.`);
}

/**
 * Returns the secret that receivers certainly use. During a rotation, this is the previous one: a receiver may not use
 * the newer one yet.
 */
function secretInUse({ secret, earlier_secret: earlier, earlier_until: until }: WebhookRow, at: number) {
  return earlier !== null && until !== null && until > at ? earlier : secret;
}
