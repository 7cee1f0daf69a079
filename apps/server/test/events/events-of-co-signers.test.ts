// An operation that several wallets sign is one action, so every receiver gets its events once. Tested on
// both databases.
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { systemUid } from '@ledger-ops/auth';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { addTenant, ended, headersOf, type Installation, install, type Tenant } from '../stage/api.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { followStream } from './sse.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

interface Event {
  id: string;
  type: string;
  data: { actionId: string; walletId: string };
}

const walletPassword = 'correct horse battery staple';
const wait = { timeout: 60_000 };
const steps = ['action.accepted', 'action.sent', 'action.succeeded'];

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

describe.each(selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'sqlite'))('on %s', (dialect) => {
  const ledger = createMemoryLedger({ sequence: 'none' });
  let here: Installation;
  let tenant: Tenant;
  let receiver: Receiver;
  let ann: string;
  beforeAll(async () => {
    const environment = dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() };
    const quick = { look: 20, poll: 20, again: { first: 20, longest: 100 } };
    here = await install(environment, [memoryAdapter(ledger)], {}, { look: 20 }, quick);
    await here.server.store.transaction((tx) =>
      here.server.registry.createLedger(tx, {
        ...{ ledgerId: 'several', name: 'several', projectUid: null, parentResourceUid: systemUid },
        ...{ technology: 'memory', properties: {}, nodes: [{ uri: 'memory:' }] },
      }),
    );
    tenant = await addTenant(here.url, here.administrator, 'one');
    for (const walletId of ['ann', 'bob', 'payer']) {
      const { walletAddress = '' } = await tenant.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
        ...{ walletId, ledgerId: 'several', pluginParameters: { walletPassword } },
      });
      if (walletId === 'ann') ann = walletAddress;
      ledger.fund(walletAddress, 10n ** 12n);
    }
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await here?.close();
    await receiver?.close();
  });

  /** Returns a stream of a caller who sees only these wallets of the project. */
  async function viewerOf(...walletIds: string[]) {
    const accountId = `viewer-of-${walletIds.join('-')}`;
    const account = await tenant.api.expect(201, 'POST', '/v1/service-accounts', {
      ...{ name: accountId, accountId, project: { projectID: tenant.projectId } },
    });
    const tokens = `/v1/service-accounts/${accountId}/api-tokens`;
    const { apiToken = '' } = await tenant.api.expect(201, 'POST', tokens);
    for (const walletId of walletIds) {
      await tenant.api.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
        identity: { serviceId: account.serviceId },
        resource: { resourceID: walletId },
        role: { name: 'viewer' },
      });
    }
    return await follow(await headersOf(here.url, { ...tenant, accountId, apiToken }));
  }

  /** Sends a transfer from the wallet `ann`. */
  async function sendSigned(native: { payer?: string; signers: string[] }): Promise<string> {
    const others = native.payer === undefined ? native.signers : [native.payer, ...native.signers];
    const { actionId = '' } = await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', {
      ...{ walletId: 'ann', walletPassword },
      wallets: others.map((walletId) => ({ walletId, walletPassword })),
      glo: {
        ...{ version: '0.1.0', type: 'transfer' },
        options: {
          recipient: { lookup_service: { type: 'ledger', value: 'memory' }, resource: ann },
          amount: '5',
        },
        meta: { ledger: { memory: { version: '1', native_transaction_content: native } } },
      },
    });
    await ended(tenant.api, actionId);
    return actionId;
  }

  const follow = (headers: Record<string, string>) =>
    followStream<Event>(`${here.url}/v1/events?types=${steps}`, headers);

  test('a stream or webhook gets each event of a co-signed action once, whichever signing wallets its owner may read', async () => {
    const webhook = await tenant.api.expect(201, 'POST', '/v1/webhooks', { url: receiver.url, types: steps });
    receiver.secret = webhook.secret ?? '';
    const streams = [
      await follow(tenant.headers),
      await follow(await headersOf(here.url, here.administrator)),
      await viewerOf('ann'),
      await viewerOf('bob'),
      await viewerOf('payer', 'bob'),
    ];
    const actionIds: string[] = [];
    for (const native of [{ payer: 'payer', signers: ['bob'] }, { signers: ['bob'] }])
      actionIds.push(await sendSigned(native));
    const named = (events: readonly Event[]) => events.map(({ type, data }) => `${data.actionId} ${type}`);
    const both = actionIds.flatMap((id) => steps.map((step) => `${id} ${step}`));
    const told: Event[][] = [];
    for (const stream of streams) {
      await vi.waitFor(
        () => expect(named(stream.events.map(({ data }) => data))).toContain(both.at(-1)),
        wait,
      );
      await stream.close();
      told.push(stream.events.map(({ data }) => data));
    }
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(both.length), wait);
    for (const events of told) expect(named(events)).toEqual(both);
    const ids = told[0]?.map(({ id }) => id);
    for (const events of told) expect(events.map(({ id }) => id)).toEqual(ids);
    expect(told[0]?.[0]).toMatchObject({ data: { walletId: 'ann' } });
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set(ids));

    const [first = ''] = ids ?? [];
    await tenant.api.expect(204, 'POST', `/v1/webhooks/${webhook.id}/replay`, { eventId: first });
    const again = () => receiver.received.filter(({ id }) => id === first);
    await vi.waitFor(() => expect(again().length).toBeGreaterThan(1), wait);
  });
});
