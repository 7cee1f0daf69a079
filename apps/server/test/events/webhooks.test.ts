// Webhooks over HTTP, on SQLite and PostgreSQL. The receiver verifies signatures with the library `standardwebhooks`.
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { createLog } from '../../src/logging/logger.ts';
import { cloudEventSchema, eventSchema } from '../../src/present/event.ts';
import { startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import {
  type Api,
  addTwoTenants,
  ended,
  type Installation,
  install,
  logIn,
  send,
  type Tenant,
} from '../stage/api.ts';
import { type Receiver, startReceiver } from './receiver.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

interface Webhook {
  id: string;
  secret: string;
  status: string;
  reason: string | null;
  earlierSecretUntil: string | null;
}
interface Delivery {
  eventId: string;
  status: string;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
}

const quick = { look: 20, again: { first: 20, longest: 100 }, answer: 30_000 };

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

describe.each(selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'sqlite'))('on %s', (dialect) => {
  let here: Installation;
  let one: Tenant;
  let other: Tenant;
  let administrator: Api;
  let environment: Record<string, string>;
  const receivers: Receiver[] = [];
  /** Lines of the server's log. */
  const logged: Record<string, unknown>[] = [];
  beforeAll(async () => {
    environment = dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() };
    const log = createLog('info', {
      write(line) {
        const { time: _, pid: __, ...fields } = JSON.parse(line);
        logged.push(fields);
      },
    });
    here = await install({ ...environment }, [], {}, quick, {}, log);
    administrator = await logIn(here.url, here.administrator);
    ({ one, other } = await addTwoTenants(here));
  });
  afterAll(async () => {
    for (const receiver of receivers) await receiver.close();
    await here?.close();
  });

  async function subscribe(body: object = {}) {
    const receiver = await startReceiver();
    receivers.push(receiver);
    const webhook = await one.api.expect<Webhook>(201, 'POST', '/v1/webhooks', {
      url: receiver.url,
      ...body,
    });
    receiver.secret = webhook.secret;
    return { receiver, webhook, path: `/v1/webhooks/${webhook.id}` };
  }
  const late = async () =>
    (await administrator.expect<{ webhooks: object[] }>(200, 'GET', '/v1/admin/late-events')).webhooks;
  const deliveries = async (path: string, query = '') =>
    (await one.api.expect<{ deliveries: Delivery[] }>(200, 'GET', `${path}/deliveries${query}`)).deliveries;

  test('a webhook receives every event, in order per action, from two servers, even if its receiver fails at times', async () => {
    const { receiver, webhook, path } = await subscribe();
    const failed = new Set<string>();
    receiver.answer = (id) => {
      if (failed.has(id)) return 204;
      failed.add(id);
      return 302;
    };
    const folder = await openFolder();
    // Only PostgreSQL: SQLite supports only one server.
    const another =
      dialect === 'sqlite'
        ? undefined
        : await startServer({
            config: readConfig({
              ...{ PORT: '0', DATA_DIR: folder.path, MASTER_KEY: Buffer.alloc(32, 5).toString('base64') },
              ...{ OUTBOUND_OPEN: '127.0.0.1', LOG_LEVEL: 'silent', ...environment },
            }),
            log: createLog('silent'),
            adapters: [ethereumAdapter],
            webhookTiming: quick,
          });
    const ids = await Promise.all(Array.from({ length: 20 }, () => send(one, 'payer')));
    await vi.waitFor(() => expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(40), 40_000);
    expect(receiver.received).toHaveLength(40);
    expect(receiver.forged).toEqual([]);
    for (const actionId of ids) {
      const own = receiver.received.filter(({ data }) => data.actionId === actionId);
      expect(own.map(({ type }) => type)).toEqual(['action.accepted', 'action.succeeded']);
    }
    await vi.waitFor(async () => expect(await deliveries(path, '?status=PENDING')).toEqual([]), 30_000);
    const [newest] = await deliveries(path, '?status=DELIVERED&size=1');
    expect(newest).toMatchObject({ attempts: 2, lastStatus: 204, lastError: null });

    // A replay sends the same event ids again.
    await one.api.expect(204, 'POST', `${path}/replay`, { eventId: newest?.eventId });
    await vi.waitFor(() => expect(receiver.received).toHaveLength(41), 30_000);
    await one.api.expect(204, 'POST', `${path}/replay`, {
      from: new Date(Date.now() - 3_600_000).toISOString(),
    });
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(81), 30_000);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(40);

    expect(await other.api.call('GET', path)).toMatchObject({ status: 404 });
    expect(await other.api.call('POST', `${path}/test`)).toMatchObject({ status: 404 });
    expect(await other.api.expect(200, 'GET', '/v1/webhooks')).toEqual({ webhooks: [] });
    await one.api.expect(204, 'DELETE', path);
    expect(await one.api.call('GET', `/v1/webhooks/${webhook.id}`)).toMatchObject({ status: 404 });
    await another?.close();
    await folder.remove();
  });

  test('webhooks apply filters, send CloudEvents if requested, and sign with both secrets during a rotation', async () => {
    const { receiver, webhook, path } = await subscribe({
      ...{ types: ['action.succeeded'], wallets: ['second'], format: 'cloudevents' },
    });
    const rotated = await one.api.expect<Webhook>(201, 'POST', `${path}/secret`);
    expect(rotated.secret).not.toBe(webhook.secret);
    expect(rotated.earlierSecretUntil).not.toBeNull();
    await ended(one.api, await send(one, 'payer'));
    const paid = await send(one, 'second');
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 30_000);
    expect(receiver.received[0]).toMatchObject({
      ...{ type: 'action.succeeded', contentType: 'application/cloudevents+json', signatures: 2 },
      data: { actionId: paid },
    });
    receiver.secret = rotated.secret;
    expect(await one.api.expect(200, 'POST', `${path}/test`)).toEqual({
      delivered: true,
      status: 204,
      error: null,
    });
    expect(receiver.received[1]).toMatchObject({ type: 'webhook.test', signatures: 2 });
    for (const { body } of receiver.received) expect(cloudEventSchema.parse(body)).toEqual(body);
    await one.api.expect(200, 'PUT', path, { format: 'standard' });
    await one.api.expect(200, 'POST', `${path}/test`);
    expect(eventSchema.parse(receiver.received[2]?.body)).toEqual(receiver.received[2]?.body);
    receiver.secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await one.api.expect(200, 'POST', `${path}/test`);
    expect(receiver.forged).toHaveLength(1);
    await one.api.expect(204, 'DELETE', path);
  });

  test('replacing a webhook’s secret twice within 24 hours keeps the secret that receivers still use', async () => {
    const { receiver, path } = await subscribe();
    const lost = await one.api.expect<Webhook>(201, 'POST', `${path}/secret`);
    const kept = await one.api.expect<Webhook>(201, 'POST', `${path}/secret`);
    const isTaken = async () => {
      const before = receiver.received.length;
      await one.api.expect(200, 'POST', `${path}/test`);
      return receiver.received.length > before;
    };
    expect(await isTaken()).toBe(true);
    receiver.secret = kept.secret;
    expect(await isTaken()).toBe(true);
    receiver.secret = lost.secret;
    expect(await isTaken()).toBe(false);
    await one.api.expect(204, 'DELETE', path);
  });

  test('a webhook receiver that returned 410 gets no more events, and missed events can be replayed once it accepts events', async () => {
    const { receiver, path } = await subscribe({ types: ['action.succeeded'] });
    receiver.answer = () => 410;
    const missed = await send(one, 'payer');
    await vi.waitFor(
      async () =>
        expect(await one.api.expect<Webhook>(200, 'GET', path)).toMatchObject({
          status: 'DISABLED',
          reason: expect.stringContaining('410'),
        }),
      30_000,
    );
    expect(await deliveries(path, '?status=DEAD')).toMatchObject([{ attempts: 1, lastStatus: 410 }]);
    expect((await late()).at(-1)).toMatchObject({
      status: 'DISABLED',
      lastError: 'The receiver answered 410.',
    });
    expect(await one.api.call('POST', `${path}/replay`, { from: new Date().toISOString() })).toMatchObject({
      status: 409,
    });
    receiver.answer = () => 204;
    await one.api.expect(200, 'PUT', path, { status: 'ENABLED' });
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(await one.api.call('POST', `${path}/replay`, { from: tomorrow })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/from', detail: 'must not be in the future' }] },
    });
    const [dead] = await deliveries(path, '?status=DEAD');
    await one.api.expect(204, 'POST', `${path}/replay`, { eventId: dead?.eventId });
    await vi.waitFor(() => expect(receiver.received).toMatchObject([{ data: { actionId: missed } }]), 30_000);
    await one.api.expect(204, 'DELETE', path);
  });

  test('a webhook receiver gets no event before the time in its Retry-After has passed', async () => {
    const { receiver, path } = await subscribe({ types: ['action.succeeded'] });
    receiver.answer = () => 429;
    receiver.retryAfter = 3;
    await send(one, 'payer');
    await vi.waitFor(async () => expect(await deliveries(path)).toMatchObject([{ lastStatus: 429 }]), 30_000);
    const refusedAt = performance.now();
    const before = receiver.requests;
    receiver.answer = () => 204;
    // Sends another action, whose event also waits.
    await send(one, 'payer');
    await vi.waitFor(async () => expect(await deliveries(path, '?status=DELIVERED')).toHaveLength(2), 30_000);
    expect(performance.now() - refusedAt).toBeGreaterThan(2_000);
    expect(receiver.requests).toBe(before + 2);
    await one.api.expect(204, 'DELETE', path);
  });

  test('deployers see which webhooks of all projects fail, and why', async () => {
    const { receiver, webhook, path } = await subscribe({ types: ['action.succeeded'] });
    receiver.answer = () => 500;
    await send(one, 'payer');
    await vi.waitFor(async () => expect(await late()).toHaveLength(1), 30_000);
    expect(await late()).toEqual([
      {
        ...{ id: webhook.id, projectId: one.projectId, host: new URL(receiver.url).host, status: 'ENABLED' },
        ...{ reason: null, pending: 1, lastError: 'The receiver answered 500.' },
        ...{ failingSince: expect.any(String), oldestPendingAt: expect.any(String) },
      },
    ]);
    const lines = () => logged.filter(({ webhookId }) => webhookId === webhook.id);
    const of = { webhookId: webhook.id, projectId: one.projectId };
    const failing = {
      level: 'warn',
      msg: 'webhook failing',
      ...of,
      status: 500,
      detail: 'The receiver answered 500.',
    };
    expect(lines()).toEqual([failing]);
    expect(await one.api.call('GET', '/v1/admin/late-events')).toMatchObject({ status: 404 });
    receiver.answer = () => 204;
    await vi.waitFor(async () => expect(await late()).toEqual([]), 30_000);
    expect(lines()).toEqual([failing, { level: 'info', msg: 'webhook deliveries succeed again', ...of }]);
    await one.api.expect(204, 'DELETE', path);
  });

  test.each([
    ['http://10.0.0.1/', 422],
    ['https://10.0.0.1/', 422],
    ['https://[::1]/', 422],
    ['https://169.254.169.254/latest', 422],
    ['http://receiver.example/', 400],
    ['https://user:pass@receiver.example/', 400],
    ['ftp://receiver.example/', 400],
    ['no url', 400],
  ])('a webhook with the URL %s is refused with %i', async (url, status) => {
    expect(await one.api.call('POST', '/v1/webhooks', { url })).toMatchObject({ status });
  });
});
