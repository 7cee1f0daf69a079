// Events of all actions as they happen, by HTTP alone, on both databases.
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addTwoTenants, ended, headersOf, type Installation, install, send, type Tenant } from './api.ts';
import { followStream } from './sse.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

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

describe.each(['sqlite', 'postgres'])('%s', (dialect) => {
  let here: Installation;
  let one: Tenant;
  let other: Tenant;
  beforeAll(async () => {
    here = await install(dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() });
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

  test('each change is told, a stream goes on where another one stopped, and filters hold', async () => {
    const first = await follow(one);
    const stranger = await follow(other);
    const everything = await follow({ headers: await headersOf(here.url, here.administrator) });
    const paid = await pay('payer');
    await vi.waitFor(() => expect(told(first.events)).toContain(`${paid} action.succeeded`), 30_000);
    expect(told(first.events)).toEqual([`${paid} action.accepted`, `${paid} action.succeeded`]);
    const [accepted, succeeded] = first.events;
    expect(accepted).toMatchObject({ event: 'event', data: { data: { status: 'PENDING', locator: null } } });
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

  test('a place of long ago is answered with 410, one that nothing has yet with 400', async () => {
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
