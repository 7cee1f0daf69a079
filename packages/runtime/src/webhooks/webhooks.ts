import { type Activity, type Auth, type Principal, recordActivity, systemUid } from '@ledger-ops/auth';
import { type MasterKey, Problem } from '@ledger-ops/base';
import { once, type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { type EventLog, webhookTestType } from '../events/types.ts';
import type { Poster } from './post.ts';
import {
  addDeliveries,
  buryPending,
  deleteWebhook,
  filterColumns,
  formatOf,
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
import { createSender, deliveryOf } from './send.ts';
import type { WebhookTiming } from './timing.ts';
import type { Webhooks } from './types.ts';

/** Webhooks that a project can have. */
const mostWebhooks = 20;
/** Of those that are late that are listed: whoever has more has one cause. */
const mostLate = 100;

export interface WebhooksContext {
  store: Store;
  auth: Auth;
  masterKey: MasterKey;
  events: EventLog;
  poster: Poster;
  /** The source that CloudEvents name. */
  source: string;
  now: () => number;
  timing: WebhookTiming;
}

/** Webhooks for callers: whoever administers a project, and may read all of its wallets. */
export function createWebhookService(context: WebhooksContext): Webhooks {
  const { store, auth, masterKey, events, poster, source, now, timing } = context;
  const { read } = store;
  const send = createSender(context);

  async function find(principal: Principal, id: string): Promise<WebhookRow> {
    await demand(principal);
    const row = await readWebhook(read, principal.projectUid, id);
    if (row === undefined) throw noWebhook(id);
    return row;
  }

  /** Events tell of all wallets of the project. */
  async function demand(principal: Principal): Promise<void> {
    await auth.demand(principal, 'wallet:read', principal.projectUid);
  }

  async function record(tx: Tx, principal: Principal, action: string, id: string): Promise<void> {
    const { projectUid, projectId } = principal;
    const activity: Activity = {
      ...{ action, service: 'events', targetObject: id },
      ...{ resourceUid: projectUid, resourceId: projectId, resourceType: 'project', scope: projectUid },
    };
    await recordActivity(tx, principal, activity, now());
  }

  async function change(tx: Tx, row: WebhookRow, changed: Parameters<typeof updateWebhook>[2]) {
    if (!(await updateWebhook(tx, row.uid, changed))) throw noWebhook(row.uid);
    return webhookView({ ...row, ...changed }, now());
  }

  return {
    async create(principal, { url, description, filter, format }, claim) {
      await demand(principal);
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
          throw new Problem('conflict', `A project has ${mostWebhooks} webhooks at most.`);
        }
        await insertWebhook(tx, row);
        await record(tx, principal, 'create', uid);
        return { ...webhookView(row, at), secret };
      });
    },

    async list(principal) {
      await demand(principal);
      return (await readWebhooks(read, principal.projectUid)).map((row) => webhookView(row, now()));
    },

    get: async (principal, id) => webhookView(await find(principal, id), now()),

    async update(principal, id, { url, description, filter, format, status }) {
      const row = await find(principal, id);
      const enabled = status === 'ENABLED' && row.status !== 'ENABLED';
      const changed = {
        ...(url === undefined ? {} : { url: poster.checkUrl(url, '/url') }),
        ...(description === undefined ? {} : { description }),
        ...(filter === undefined ? {} : filterColumns(filter)),
        ...(format === undefined ? {} : { format }),
        ...(status === undefined ? {} : { status, reason: null }),
        // It begins anew: events of the time when it was disabled are for a replay.
        ...(enabled ? { place: await events.latest(), failing_since: null } : {}),
        updated_at: now(),
      };
      return await store.transaction(async (tx) => {
        const view = await change(tx, row, changed);
        if (status === 'DISABLED') await buryPending(tx, row.uid);
        await record(tx, principal, 'update', row.uid);
        return view;
      });
    },

    async delete(principal, id) {
      const { uid } = await find(principal, id);
      await store.transaction(async (tx) => {
        if (!(await deleteWebhook(tx, uid))) throw noWebhook(uid);
        await record(tx, principal, 'delete', uid);
      });
    },

    async rotate(principal, id, claim) {
      const row = await find(principal, id);
      const secret = newSecret();
      return await once(store, { claim, status: 201, secret: true }, async (tx) => {
        const at = now();
        const view = await change(tx, row, {
          ...{ secret: sealSecret(masterKey, row.uid, secret), earlier_secret: secretInUse(row, at) },
          ...{ earlier_until: at + timing.overlap, updated_at: at },
        });
        await record(tx, principal, 'rotate', row.uid);
        return { ...view, secret };
      });
    },

    async test(principal, id) {
      const row = await find(principal, id);
      const event = {
        id: uuidv7(),
        type: webhookTestType,
        timestamp: new Date(now()).toISOString(),
        data: {},
      };
      const { type, timestamp: time, data } = event;
      const body =
        formatOf(row) === 'cloudevents'
          ? {
              specversion: '1.0',
              id: event.id,
              source,
              type,
              time,
              datacontenttype: 'application/json',
              data,
            }
          : event;
      await store.transaction((tx) => record(tx, principal, 'test', row.uid));
      return await send(row, event.id, JSON.stringify(body));
    },

    async deliveries(principal, id, query) {
      const { uid } = await find(principal, id);
      return await readDeliveries(read, uid, query);
    },

    async late(principal) {
      await auth.demand(principal, 'system:read', systemUid);
      return await readLate(read, mostLate);
    },

    async replay(principal, id, what) {
      const row = await find(principal, id);
      if (row.status !== 'ENABLED')
        throw new Problem('conflict', 'The webhook is disabled: enable it first.');
      const at = await store.now();
      if ('from' in what) {
        const place = await events.placeAt(what.from);
        await store.transaction(async (tx) => {
          // Further back where it is further back already.
          await tx.run('UPDATE webhook SET place = $2 WHERE uid = $1 AND place > $2', [row.uid, place]);
          await record(tx, principal, 'replay', row.uid);
        });
        return;
      }
      const event = await events.byId(row.project_id, what.eventId);
      if (event === undefined) {
        throw new Problem(
          'not-found',
          `There is no event ${what.eventId} of this project, or none any more.`,
        );
      }
      const delivery = deliveryOf(event, formatOf(row), source);
      await store.transaction(async (tx) => {
        await addDeliveries(tx, row.uid, [delivery], at, at + timing.giveUp);
        await record(tx, principal, 'replay', row.uid);
      });
    },
  };
}

function noWebhook(id: string): Problem {
  return new Problem('not-found', `There is no webhook ${id} in this project.`);
}

/** By which receivers verify: while two sign that of before, since nobody need have got the one that another rotation replaces. */
function secretInUse({ secret, earlier_secret: earlier, earlier_until: until }: WebhookRow, at: number) {
  return earlier !== null && until !== null && until > at ? earlier : secret;
}
