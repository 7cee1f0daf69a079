// Tests over HTTP what callers see of an action if they may read only the receiving wallet, on SQLite and PostgreSQL.
import { randomUUID } from 'node:crypto';
import type { PageBody } from '@ledger-ops/base';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import {
  type Api,
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

const password = 'correct horse battery staple';
const property = (name: string, value?: unknown) => ({ type: { name }, value });

interface ActionBody {
  actionId: string;
  createdAt: string;
  intent: string;
  ledgerId: string | null;
  locator: string;
  status: string;
  tag: string | null;
  updatedAt: string;
}

/** Another network with the same chain id but another first block. */
let other: Anvil;
let postgres: PostgresCluster;
beforeAll(async () => {
  [other, postgres] = await Promise.all([startAnvil({ gasLimit: 30_000_000 }), openPostgres()]);
});
afterAll(async () => {
  await other?.stop();
  await postgres?.stop();
});

const dialects = selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'postgres');
describe.each(dialects)('on %s', (dialect) => {
  let here: Installation;
  let sender: Tenant;
  let receiver: Tenant;
  let address: string;
  /** Transfers from the sender to the receiver, oldest first. */
  const sent: ActionBody[] = [];
  beforeAll(async () => {
    here = await install(dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() });
    sender = await addTenant(here.url, here.administrator, 'sender');
    receiver = await addTenant(here.url, here.administrator, 'receiver');
    address = (await addWallet(here, receiver, 'purse')).walletAddress;
    await addPrivateLedger('hidden-ledger', here.anvil);
    await addPrivateLedger('hidden-network', other);
    for (const tag of ['hidden-b', 'hidden-a']) sent.push(await send('hidden-ledger-wallet', tag));
  });
  afterAll(() => here?.close());

  /** Creates a ledger of the sender, with an explorer and a funded wallet. */
  async function addPrivateLedger(ledgerID: string, chain: Anvil): Promise<void> {
    const { api } = sender;
    await api.expect(201, 'POST', '/v1/ledgers', {
      ...{ ledgerID, name: ledgerID, ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
      properties: [property('polling_interval', 50), property('development', true)],
      nodes: [{ options: { uri: chain.url } }],
    });
    await api.expect(201, 'POST', '/v1/explorers', {
      ...{ explorerID: `${ledgerID}-explorer`, ledgerID, name: 'Hidden' },
      implementations: [
        {
          type: { name: 'external-explorer' },
          properties: [property('transaction_url', 'https://hidden.example/{locator}')],
        },
      ],
    });
    const { walletAddress = '' } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
      ...{ walletId: `${ledgerID}-wallet`, ledgerId: ledgerID },
      pluginParameters: { walletPassword: password },
    });
    await chain.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
  }

  async function send(walletId: string, tag: string): Promise<ActionBody> {
    const { api } = sender;
    const body = { ...transferBody(walletId, address), tag, intent: randomUUID() };
    const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', body);
    expect(await ended(api, actionId)).toMatchObject({ status: 'SUCCEEDED' });
    return await api.expect(200, 'GET', `/v1/ledger-ops/search/actions/${actionId}`);
  }

  const found = async (query = '', api: Api = receiver.api) => {
    const path = `/v1/ledger-ops/search/wallets/purse/actions?${query}`;
    const page = await api.expect<PageBody<ActionBody>>(200, 'GET', path);
    expect(page.totalElements).toBe(page.pageContent.length);
    return page.pageContent;
  };

  test('the receiver of an action sees only what the ledger makes public', async () => {
    const [last, first, ...none] = await found();
    expect(none).toEqual([]);
    expect([first?.locator, last?.locator]).toEqual(sent.map(({ locator }) => locator));
    expect(first).toEqual({
      actionId: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      contractAddress: null,
      createdAt: sent[0]?.updatedAt,
      dateUpdated: expect.any(String),
      dependencies: [],
      intent: '',
      ledgerId: 'chain',
      locator: sent[0]?.locator,
      status: 'SUCCEEDED',
      tag: null,
      txId: sent[0]?.locator,
      updatedAt: sent[0]?.updatedAt,
      walletId: '',
    });
    expect(await found()).toEqual([last, first]);
  });

  test('no filter finds a received action by a hidden value', async () => {
    const [first] = sent;
    const at = (time?: string) => encodeURIComponent(time ?? '');
    for (const query of [
      'tag=hidden-a',
      'tag=hidden-b',
      'tag=',
      `intent=${first?.intent}`,
      'ledgerId=hidden-ledger',
      'status=FAILED',
      'status=PENDING',
      // The action was created before its ledger confirmed it, and only the time of the confirmation is
      // public.
      `to=${at(first?.createdAt)}`,
    ]) {
      expect([query, await found(query)]).toEqual([query, []]);
    }
    for (const [query, count] of [
      ['ledgerId=chain&status=SUCCEEDED', 2],
      [`from=${at(sent[1]?.updatedAt)}`, 1],
      [`to=${at(first?.updatedAt)}`, 1],
    ] as const) {
      expect([query, (await found(query)).length]).toEqual([query, count]);
    }
  });

  test('no sort order reveals hidden values of received actions', async () => {
    const order = async (sort: string) => (await found(`sort=${sort}`)).map(({ locator }) => locator);
    const byLocator = sent.map(({ locator }) => locator).toSorted();
    for (const key of ['tag', 'intent', 'walletId', 'ledgerId', 'status', 'contractAddress']) {
      for (const direction of ['asc', 'desc']) {
        expect([key, direction, await order(`${key},${direction}`)]).toEqual([key, direction, byLocator]);
      }
    }
    expect(await order('actionId,asc')).toEqual(byLocator);
    expect(await order('actionId,desc')).toEqual(byLocator.toReversed());
    expect(await order('createdAt,asc')).toEqual(sent.map(({ locator }) => locator));
  });

  test('a received action cannot be read with the id that the receiver sees, nor with the sender’s id', async () => {
    const { api } = receiver;
    for (const actionId of [
      ...(await found()).map((one) => one.actionId),
      ...sent.map((one) => one.actionId),
    ]) {
      const path = `/v1/ledger-ops/search/actions/${actionId}`;
      expect((await api.call('GET', path)).status).toBe(404);
      expect((await api.call('GET', `/v1/ledger-ops/actions/${actionId}/events`)).status).toBe(404);
      const older = `/v1/ledger/ops/search/wallets/purse/actions/${actionId}`;
      expect((await api.call('GET', older)).status).toBe(404);
      const listed = await api.expect(200, 'POST', '/v1/ledger-ops/search/actions', {
        actionIds: [actionId],
      });
      expect(listed).toEqual([]);
      const [status] = await api.expect<{ status: string }[]>(
        200,
        'GET',
        `/v1/cloud-wallet/transactions?txId=${actionId}`,
      );
      expect(status).toMatchObject({ status: 'FAILED', problem: { status: 404 } });
      const depending = { ...transferBody('purse', address), dependencies: [actionId] };
      expect((await api.call('POST', '/v1/ledger-ops/send', depending)).status).toBe(400);
    }
  });

  test('an account in the sender’s project that sees only the receiving wallet sees only what the ledger makes public', async () => {
    const admin = await logIn(here.url, here.administrator);
    const near = await addWallet(here, sender, 'near');
    const { actionId = '' } = await sender.api.expect(201, 'POST', '/v1/ledger-ops/send', {
      ...transferBody('hidden-ledger-wallet', near.walletAddress),
      tag: 'hidden-c',
    });
    await ended(sender.api, actionId);
    const account = await admin.expect(201, 'POST', '/v1/service-accounts', {
      ...{ name: 'narrow', accountId: 'narrow', project: sender.projectId },
    });
    const { apiToken = '' } = await admin.expect(201, 'POST', '/v1/service-accounts/narrow/api-tokens');
    await sender.api.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
      identity: { serviceId: account.serviceId },
      resource: { resourceID: 'near' },
      role: { name: 'viewer' },
    });
    const narrow = await logIn(here.url, { ...sender, accountId: 'narrow', apiToken });
    const path = '/v1/ledger-ops/search/wallets/near/actions';
    const seen = await narrow.call<PageBody<ActionBody>>('GET', path);
    expect(seen.body.pageContent).toMatchObject([{ ledgerId: 'chain', tag: null, walletId: '' }]);
    expect(seen.text).not.toContain('hidden');
    expect(seen.text).not.toContain(actionId);
    for (const query of ['tag=hidden-c', 'ledgerId=hidden-ledger']) {
      const none = await narrow.expect<PageBody<ActionBody>>(200, 'GET', `${path}?${query}`);
      expect([query, none.totalElements]).toEqual([query, 0]);
    }
    const whole = await sender.api.expect<PageBody<ActionBody>>(200, 'GET', `${path}?tag=hidden-c`);
    expect(whole.pageContent).toMatchObject([{ actionId, ledgerId: 'hidden-ledger' }]);
  });

  test('actions on another network that claims the same chain are not shown to the receiver', async () => {
    const before = await found();
    await send('hidden-network-wallet', 'hidden-d');
    expect(await found()).toEqual(before);
  });

  test('a wallet’s events show received actions with the same members as a search for the wallet’s actions', async () => {
    const stop = new AbortController();
    const response = await fetch(`${here.url}/v1/ledger-ops/events?wallet=purse`, {
      headers: receiver.headers,
      signal: stop.signal,
    });
    const stream = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const reading = (async () => {
      for (let part = await stream?.read(); part?.done === false; part = await stream?.read())
        text += part.value;
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    const { locator, actionId } = await send('hidden-ledger-wallet', 'hidden-e');
    await vi.waitFor(() => expect(text).toContain(locator), 30_000);
    stop.abort();
    await reading;
    const shown = (await found()).find((one) => one.locator === locator);
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as ActionBody,
    );
    expect(events.filter((one) => one.locator === locator)).toEqual([shown]);
    expect(events).toHaveLength(sent.length + 1);
    expect(text).not.toContain('hidden');
    expect(text).not.toContain(actionId);
  });
});
