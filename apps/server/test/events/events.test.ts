// Events of all actions as they happen, over HTTP, on both databases.
import { tokenTemplate } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import {
  addTokenTemplate,
  addTwoTenants,
  ended,
  headersOf,
  type Installation,
  install,
  nobody,
  send,
  type Tenant,
} from '../stage/api.ts';
import { startReceiver } from './receiver.ts';
import { followStream } from './sse.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

interface Event {
  id: string;
  type: string;
  timestamp: string;
  data: { actionId: string; status: string; locator: string | null; walletId: string; projectId: string };
}
interface CloudEvent extends Event {
  specversion: string;
  source: string;
  subject: string;
  time: string;
}

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

const dialects = selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'postgres');
describe.each(dialects)('on %s', (dialect) => {
  let here: Installation;
  let one: Tenant;
  let other: Tenant;
  beforeAll(async () => {
    const environment = dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() };
    const quick = { look: 20, poll: 20, again: { first: 20, longest: 100 } };
    here = await install(environment, [], {}, { look: 20 }, quick);
    ({ one, other } = await addTwoTenants(here));
  });
  afterAll(() => here?.close());

  const follow = <Data = Event>(tenant: Pick<Tenant, 'headers'>, query = '', seen?: string) =>
    followStream<Data>(`${here.url}/v1/events${query}`, {
      ...tenant.headers,
      ...(seen === undefined ? {} : { 'Last-Event-ID': seen }),
    });
  async function pay(walletId: string): Promise<string> {
    const actionId = await send(one, walletId);
    await ended(one.api, actionId);
    return actionId;
  }
  const told = (events: readonly { data: Event }[]) =>
    events.map(({ data }) => `${data.data.actionId} ${data.type}`);

  test('event streams report each change of an action, resume after the last event, and apply filters', async () => {
    const first = await follow(one);
    const stranger = await follow(other);
    const everything = await follow({ headers: await headersOf(here.url, here.administrator) });
    const paid = await pay('payer');
    await vi.waitFor(() => expect(told(first.events)).toContain(`${paid} action.succeeded`), 30_000);
    expect(told(first.events)).toEqual([`${paid} action.accepted`, `${paid} action.succeeded`]);
    const [accepted, succeeded] = first.events;
    expect(accepted).toMatchObject({
      event: 'event',
      data: { data: { status: 'PENDING', locator: null } },
    });
    expect(succeeded?.data.data).toMatchObject({
      ...{ status: 'SUCCEEDED', walletId: 'payer', projectId: one.projectId },
      locator: expect.stringMatching(/^0x/),
    });
    await first.close();

    const second = await pay('second');
    const again = await follow(one, '', accepted?.id);
    await vi.waitFor(() => expect(again.events).toHaveLength(3), 30_000);
    expect(again.events[0]).toEqual(succeeded);
    expect(told(again.events).slice(1)).toEqual([`${second} action.accepted`, `${second} action.succeeded`]);
    await again.close();

    const filtered = await follow<CloudEvent>(
      one,
      '?types=action.succeeded,action.failed&wallets=second&ledgers=chain&format=cloudevents',
      accepted?.id,
    );
    await vi.waitFor(() => expect(filtered.events).toHaveLength(1), 30_000);
    expect(filtered.events[0]?.data).toMatchObject({
      ...{ specversion: '1.0', source: here.server.baseUrl, subject: second, type: 'action.succeeded' },
      id: again.events[2]?.data.id,
    });
    await filtered.close();

    await vi.waitFor(() => expect(told(everything.events)).toContain(`${second} action.succeeded`), 30_000);
    await everything.close();
    expect(stranger.events).toEqual([]);
    await stranger.close();
  });

  test('events of a subscribed contract, past and future, arrive once in streams and webhooks', async () => {
    const { api } = one;
    await addTokenTemplate(api, 'coin-template');
    const { id: deployment = '' } = await api.expect(201, 'POST', '/v1/smart-contracts/deployments', {
      ...{ walletId: 'payer', walletPassword: 'correct horse battery staple', ledgerId: 'chain' },
      ...{ templateId: 'coin-template', tag: '1', args: ['Token', 'TOK', '1000'] },
    });
    const { contractAddress: nativeReference = '' } = await ended(api, deployment);
    const { groupId = '' } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'tokens' });
    const { contractId = '' } = await api.expect(201, 'POST', `/v1/contract-groups/${groupId}/instances`, {
      interface: JSON.stringify([
        ...JSON.parse(tokenTemplate.interface),
        { type: 'event', name: 'Approval', inputs: [], anonymous: false },
      ]),
      ledgerReference: { ledgerId: 'chain', nativeReference },
    });
    const call = (method_name: string, args: string[]) =>
      api.expect(201, 'POST', '/v1/ledger-ops/send', {
        ...{ walletId: 'payer', walletPassword: 'correct horse battery staple' },
        glo: {
          ...{ version: '0.1.0', type: 'contract_call' },
          options: {
            contract_instance: {
              lookup_service: { type: 'service', value: 'service' },
              resource: contractId,
            },
            ...{ method_name, args },
          },
        },
      });
    const receiver = await startReceiver();
    const webhook = await api.expect(201, 'POST', '/v1/webhooks', {
      ...{ url: receiver.url, types: ['contract.event'] },
    });
    receiver.secret = webhook.secret ?? '';
    const stream = await follow<{ data: { name: string; args: Record<string, string> } }>(
      one,
      '?types=contract.event',
    );
    const stranger = await follow(other, '?types=contract.event');

    const path = '/v1/contract-subscriptions';
    const subscription = await api.expect(201, 'POST', path, {
      ...{ contractId, events: ['Transfer'], fromBlock: 0 },
    });
    const fromNow = await api.expect(201, 'POST', path, { contractId });
    const none = await api.expect(201, 'POST', path, { contractId, events: ['Approval'] });
    // A subscription to an event that the contract never emits is an error.
    const wrong = { events: ['Transfer', 'Transfered'] };
    const unknown = {
      type: 'urn:ledger-ops:problem:unknown-event',
      errors: [
        { pointer: '/events/1', detail: expect.stringMatching(/no event Transfered; it has: .*Transfer/) },
      ],
    };
    expect(await api.expect(422, 'POST', path, { contractId, ...wrong })).toMatchObject(unknown);
    expect(await api.expect(422, 'PUT', `${path}/${none.id}`, wrong)).toMatchObject(unknown);
    for (const amount of ['1', '2']) {
      const { actionId = '' } = await call('transfer', [nobody, amount]);
      await ended(api, actionId);
    }
    await vi.waitFor(() => expect(receiver.received).toHaveLength(5), 30_000);
    await vi.waitFor(() => expect(stream.events).toHaveLength(5), 30_000);
    const amountsOf = (id: string | undefined) =>
      receiver.received.flatMap(({ data }) => (data.subscriptionId === id ? data.args?.value : []));
    expect(amountsOf(subscription.id)).toEqual(['1000', '1', '2']);
    expect(amountsOf(fromNow.id)).toEqual(['1', '2']);
    expect(amountsOf(none.id)).toEqual([]);
    expect(stream.events.map(({ data: { data } }) => data.name)).toEqual(Array(5).fill('Transfer'));
    expect(receiver.received.at(-1)).toMatchObject({
      type: 'contract.event',
      data: {
        ...{
          contractId,
          ledgerId: 'chain',
          projectId: one.projectId,
          contractAddress: nativeReference,
        },
        args: { to: expect.stringMatching(/aa$/i), value: '2' },
        transactionId: expect.stringMatching(/^0x/),
        blockTime: expect.stringMatching(/Z$/),
      },
    });
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(5);

    // A suspended ledger is read again once it is resumed.
    const { suspensionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/suspensions', {
      ...{ projectId: one.projectId, reason: 'test' },
    });
    const at = `${path}/${subscription.id}`;
    await vi.waitFor(async () => {
      const { lastError } = await api.expect<Record<string, unknown>>(200, 'GET', at);
      expect(lastError).toContain('suspended');
    }, 30_000);
    await api.expect(204, 'DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
    await vi.waitFor(async () => {
      expect(await api.expect(200, 'GET', at)).toMatchObject({ lastError: null, status: 'ACTIVE' });
    }, 30_000);

    // A resumed subscription reports the events that it missed, filtered by its current event names.
    const paused = await api.expect(200, 'PUT', at, { status: 'PAUSED' });
    expect(paused).toMatchObject({ status: 'PAUSED', events: ['Transfer'], blocksBehind: null });
    const { actionId: missed = '' } = await call('transfer', [nobody, '3']);
    await ended(api, missed);
    await vi.waitFor(() => expect(amountsOf(fromNow.id)).toEqual(['1', '2', '3']), 30_000);
    expect(amountsOf(subscription.id)).toEqual(['1000', '1', '2']);
    expect(await api.expect(200, 'PUT', `${path}/${none.id}`, { events: null })).toMatchObject({
      ...{ status: 'ACTIVE', events: null },
    });
    await api.expect(200, 'PUT', at, { status: 'ACTIVE' });
    await vi.waitFor(() => expect(amountsOf(subscription.id)).toEqual(['1000', '1', '2', '3']), 30_000);
    const { actionId: more = '' } = await call('transfer', [nobody, '4']);
    await ended(api, more);
    await vi.waitFor(() => expect(amountsOf(none.id).at(-1)).toBe('4'), 30_000);
    expect(await api.call('PUT', at, { status: 'STOPPED' })).toMatchObject({ status: 400 });
    expect(await api.call('PUT', at, { fromBlock: 1 })).toMatchObject({ status: 400 });

    // The lastError of a subscription says that its first block does not exist yet.
    const later = await api.expect(201, 'POST', path, { contractId, fromBlock: 1_000_000 });
    await vi.waitFor(async () => {
      const { reason } = await api.expect<Record<string, unknown>>(200, 'GET', `${path}/${later.id}`);
      expect(reason).toMatch(
        /^The subscription starts with block 1000000, but the newest confirmed block is \d+\.$/,
      );
    }, 30_000);

    expect(await other.api.call('PUT', at, { status: 'PAUSED' })).toMatchObject({ status: 404 });
    expect(await other.api.call('GET', at)).toMatchObject({ status: 404 });
    expect(await other.api.call('DELETE', at)).toMatchObject({ status: 404 });
    expect(await other.api.call('POST', path, { contractId })).toMatchObject({ status: 404 });
    expect(await other.api.expect(200, 'GET', path)).toEqual({ subscriptions: [] });
    expect(stranger.events).toEqual([]);
    await api.expect(204, 'DELETE', `${path}/${fromNow.id}`);
    await api.expect(204, 'DELETE', `/v1/contract-groups/${groupId}/instances/${contractId}`);
    await vi.waitFor(async () => {
      expect(await api.expect(200, 'GET', at)).toMatchObject({
        ...{ status: 'STOPPED', reason: `The contract ${contractId} was deleted.` },
      });
    }, 30_000);
    expect(await api.call('PUT', at, { status: 'PAUSED' })).toMatchObject({ status: 409 });
    await Promise.all([stream.close(), stranger.close(), receiver.close()]);
    await api.expect(204, 'DELETE', `/v1/webhooks/${webhook.id}`);
  });

  test('an event stream with a Last-Event-ID that is too old gets 410, and one that was not assigned yet gets 400', async () => {
    await pay('payer');
    const at = { 'Last-Event-ID': '999999999' };
    expect(await one.api.call('GET', '/v1/events', undefined, at)).toMatchObject({ status: 400 });
    expect(await one.api.call('GET', '/v1/events', undefined, { 'Last-Event-ID': 'x' })).toMatchObject({
      status: 400,
    });
    await here.server.store.transaction((tx) =>
      tx.run('UPDATE timeline SET performed_at = 0 WHERE seq = (SELECT MIN(seq) FROM timeline)'),
    );
    const old = await one.api.call('GET', '/v1/events', undefined, { 'Last-Event-ID': '0' });
    expect(old).toMatchObject({ status: 410, body: { type: expect.stringContaining('event-too-old') } });
  });
});
